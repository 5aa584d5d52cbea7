// A race on the terminal: a bar, time left, the best so far.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "tuner/race.h"

namespace warpline::tuner {

/// "[#####-----]  50 %  12 of 36 left  0:07 to go  best 1.503 ms: stages 4", at most `width`
/// columns.
std::string render(const RaceProgress& progress, const std::string& best, std::size_t width);

/// Draws over its own line, ten times a second at most. On what is no terminal it writes a line
/// every ten seconds.
class ProgressBar : public RaceObserver {
 public:
  /// `name` says what a candidate is.
  ProgressBar(std::FILE* stream, bool terminal, std::function<std::string(std::size_t)> name);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() override;

  void update(const RaceProgress& progress) override;

  /// Wipes the bar.
  void finish();

 private:
  std::FILE* stream_;
  bool terminal_;
  std::function<std::string(std::size_t)> name_;
  double shown_at_ = -1e9;
  std::size_t shown_width_ = 0;
};

}  // namespace warpline::tuner
