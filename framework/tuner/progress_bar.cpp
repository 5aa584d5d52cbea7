#include "tuner/progress_bar.h"

#include <algorithm>

namespace warpline::tuner {

std::string render(const RaceProgress& progress, const std::string& best, std::size_t width) {
  constexpr int cells = 20;
  const double whole = progress.seconds + progress.seconds_left;
  const double share = whole > 0 ? std::clamp(progress.seconds / whole, 0.0, 1.0) : 0.0;
  const int full = static_cast<int>(share * cells);
  const int left = static_cast<int>(progress.seconds_left + 0.5);
  char text[160];
  std::snprintf(text, sizeof text, "%3d %%  %zu of %zu left  %d:%02d to go",
                static_cast<int>(share * 100), progress.in_race, progress.candidates, left / 60,
                left % 60);
  std::string line = "[" + std::string(full, '#') + std::string(cells - full, '-') + "] " + text;
  if (progress.best) {
    std::snprintf(text, sizeof text, "  best %.4g ms: ", progress.best_milliseconds);
    line += text + best;
  }
  return line.substr(0, width);
}

ProgressBar::ProgressBar(std::FILE* stream, bool terminal,
                         std::function<std::string(std::size_t)> name)
    : stream_(stream), terminal_(terminal), name_(std::move(name)) {}

ProgressBar::~ProgressBar() { finish(); }

void ProgressBar::update(const RaceProgress& progress) {
  if (progress.seconds < shown_at_ + (terminal_ ? 0.1 : 10.0)) {
    return;
  }
  shown_at_ = progress.seconds;
  constexpr std::size_t columns = 110;
  std::string line =
      render(progress, progress.best ? name_(*progress.best) : std::string(), columns);
  if (!terminal_) {
    std::fprintf(stream_, "%s\n", line.c_str());
    return;
  }
  const std::size_t width = line.size();
  line.resize(std::max(width, shown_width_), ' ');
  shown_width_ = width;
  std::fprintf(stream_, "\r%s", line.c_str());
  std::fflush(stream_);
}

void ProgressBar::finish() {
  if (shown_width_ != 0) {
    std::fprintf(stream_, "\r%s\r", std::string(shown_width_, ' ').c_str());
    std::fflush(stream_);
    shown_width_ = 0;
  }
}

}  // namespace warpline::tuner
