// One shape after the other on the GPU: operands, the vendor's matmul and our plans made ready, to
// be checked and timed.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "samples/bench/matmul/gpu_operands.h"
#include "samples/bench/matmul/runner.h"
#include "samples/support/bench.h"
#include "samples/support/reference.h"
#include "samples/support/vendor.h"

#if WARPLINE_HAS_GPU

namespace bench {

/// One way to do the current shape: a plan for each set of operands.
struct Plans {
  std::vector<warpline::PreparedMatmul> of_sets;

  std::string choice() const { return of_sets.front().choice(); }
};

class GpuShape {
 public:
  GpuShape(std::uint64_t seed, const std::vector<Shape>& shapes);

  /// Why there is nothing to compare with; empty if there is.
  const std::string& why_no_vendor() const { return why_no_vendor_; }

  /// From now on. Throws Error if its operands do not fit.
  void take(const Shape& shape);
  /// Finds the vendor's fastest way for the current shape, and keeps its result to compare with.
  void prepare_vendor();
  const Shape& shape() const { return shape_; }

  /// "cublasLt 130100"; empty if it cannot do the current shape.
  std::string vendor() const;
  /// Which of its suggestions is its fastest.
  int vendor_best() const { return vendor_best_; }

  /// All sets share one workspace: they never run at the same time. Throws Error.
  Plans plans(const Forced& how);

  /// Runs once and fills in errors, complaint and correctness. Throws Error.
  void check(const Plans& plans, Row& row);
  struct QuickCheck {
    std::string complaint;
    /// Of that one run.
    double milliseconds;
  };
  /// Compares all with the vendor's result, or some rows with fp64 where there is none. Throws
  /// Error.
  QuickCheck quick_check(const Plans& plans);

  sample::Launch launch(const Plans& plans) const;
  /// The vendor's default choice, and its best if that is another.
  std::vector<sample::Launch> vendor_launches() const;

  sample::Bench& bench() { return bench_; }
  const sample::GpuStream& stream() const { return stream_; }

 private:
  warpline::MatmulProblem problem(const GpuOperands::Set& set, void* d) const;
  /// Runs the first set's plan; milliseconds.
  double run_poisoned(const Plans& plans);
  double vendor_difference() const;
  const sample::Reference& reference();
  warpline::Place place() const;

  std::uint64_t seed_;
  sample::GpuStream stream_;
  sample::SmClock clock_;
  sample::Bench bench_;
  std::optional<sample::DeviceMemory> vendor_workspace_;
  std::unique_ptr<sample::Vendor> vendor_;
  std::string why_no_vendor_;
  GpuOperands operands_;
  Shape shape_;
  std::optional<sample::Reference> reference_;
  bool vendor_takes_it_ = false;
  int vendor_best_ = 0;
  /// For plans of the current shape, the largest last. Plans that were made keep theirs.
  std::deque<sample::DeviceMemory> workspaces_;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace bench

#endif
