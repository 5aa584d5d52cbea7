// What the tuner asks of whoever can run the candidates. The clock is asked for here too, so that
// tests need neither a GPU nor patience.
#pragma once

#include <cstddef>
#include <string>

namespace warpline::tuner {

/// What came of running a candidate once.
struct Outcome {
  enum class State {
    good,
    failed,  ///< it could not run
    wrong,   ///< it ran, and its result is wrong
  };
  State state = State::good;
  double milliseconds = 0;
  /// Why it is not good, for people.
  std::string why = {};
};

class Measure {
 public:
  Measure() = default;
  Measure(const Measure&) = delete;
  Measure& operator=(const Measure&) = delete;
  virtual ~Measure() = default;

  /// Warms the candidate up and checks its result, once before its first timing. May throw if no
  /// candidate can run any more: the race ends with that exception.
  virtual Outcome check(std::size_t candidate) = 0;

  /// Called before each group of timings, of which the first is that of the race's reference: a
  /// place to let the GPU rest, or to bring it into any other state that shall be the same for all.
  /// Returns whether it did anything: then the timings before say nothing about those after, and
  /// the reference is timed anew.
  virtual bool rest() { return false; }

  /// One timing.
  virtual Outcome time(std::size_t candidate) = 0;

  /// Seconds since some moment in the past.
  virtual double seconds() = 0;
};

}  // namespace warpline::tuner
