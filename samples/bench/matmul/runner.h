// Shapes on one target, one after the other.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "matmul/matmul.h"
#include "samples/bench/matmul/command_line.h"
#include "samples/bench/matmul/row.h"

namespace bench {

/// When no other work is begun.
class Deadline {
 public:
  explicit Deadline(std::optional<double> seconds) : seconds_(seconds) {}

  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  bool passed() const { return seconds_ && elapsed() >= *seconds_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<double> seconds_;
};

class MatmulRunner {
 public:
  virtual ~MatmulRunner() = default;

  /// Whether rows are timed.
  virtual bool timed() const = 0;
  /// What the user should know before the results, a line each.
  virtual std::vector<std::string> notes() const { return {}; }

  /// PreparedMatmul::choice(). Throws Error.
  virtual std::string explain(const Shape& shape) = 0;
  /// Place and date are the caller's to fill in. What cannot run is a row with a complaint.
  virtual Row measure(const Shape& shape) = 0;
  /// After a complaint: throws Error if nothing can run any more.
  virtual void require_alive() {}
  virtual SweepRow sweep(const Shape& shape, const Deadline& deadline) = 0;
};

/// `shapes`: all that will come, so that memory is taken once.
std::unique_ptr<MatmulRunner> make_simulator_runner(const MatmulCommand& command);
#if WARPLINE_HAS_GPU
std::unique_ptr<MatmulRunner> make_gpu_runner(const MatmulCommand& command,
                                              const std::vector<Shape>& shapes);
#endif

/// The options of a call that is forced to do it so.
warpline::MatmulOptions options_of(const Forced& how);
/// A is M x K, B the transpose of N x K, D M x N.
warpline::PreparedMatmul plan_of(const warpline::Place& place, const Shape& shape, const void* a,
                                 const void* b, void* d, const warpline::MatmulOptions& options);

}  // namespace bench
