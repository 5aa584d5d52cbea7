#include "tuner/progress_bar.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace warpline::tuner {

std::string render(const RaceProgress& progress, const std::string& best, std::size_t width) {
  constexpr std::size_t cells = 20;
  const double whole = progress.seconds + progress.seconds_left;
  const double share = whole > 0 ? std::clamp(progress.seconds / whole, 0.0, 1.0) : 0.0;
  const auto full = static_cast<std::size_t>(share * cells);
  const long left = std::lround(progress.seconds_left);
  std::ostringstream line;
  line << '[' << std::string(full, '#') << std::string(cells - full, '-') << "] " << std::setw(3)
       << static_cast<int>(share * 100) << " %  " << progress.in_race << " of "
       << progress.candidates << " left  " << left / 60 << ':' << std::setw(2) << std::setfill('0')
       << left % 60 << " to go";
  if (progress.best) {
    line << "  best " << std::setprecision(4) << progress.best_milliseconds << " ms: " << best;
  }
  return line.str().substr(0, width);
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
    std::fputs((line + "\n").c_str(), stream_);
    return;
  }
  const std::size_t width = line.size();
  line.resize(std::max(width, shown_width_), ' ');
  shown_width_ = width;
  std::fputs(("\r" + line).c_str(), stream_);
  std::fflush(stream_);
}

void ProgressBar::finish() {
  if (shown_width_ != 0) {
    std::fputs(("\r" + std::string(shown_width_, ' ') + "\r").c_str(), stream_);
    std::fflush(stream_);
    shown_width_ = 0;
  }
}

}  // namespace warpline::tuner
