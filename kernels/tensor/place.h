// Where a call runs: on a stream of the GPU, or on the simulator.
#pragma once

#include "simulator/options.h"

/// What cudaStream_t points to.
struct CUstream_st;

namespace warpline {

/// A cudaStream_t, or the options of a simulation: both convert.
class Place {
 public:
  /// Work is queued on this stream (null: the default stream) and runs on the stream's device.
  Place(CUstream_st* stream)  // NOLINT(google-explicit-constructor)
      : stream_(stream), on_gpu_(true) {}
  /// The call returns when the simulated kernel has ended; throws simulator::Fault if it found one.
  Place(const simulator::Options& options)  // NOLINT(google-explicit-constructor)
      : options_(options) {}

  bool on_gpu() const { return on_gpu_; }
  CUstream_st* stream() const { return stream_; }
  const simulator::Options& options() const { return options_; }

 private:
  CUstream_st* stream_ = nullptr;
  simulator::Options options_ = {};
  bool on_gpu_ = false;
};

}  // namespace warpline
