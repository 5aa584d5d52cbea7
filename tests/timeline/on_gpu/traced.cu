// The kernels with timelines, whatever the build is configured to.
#undef WARPLINE_TRACE
#define WARPLINE_TRACE 1
#define KERNELS traced_kernels
#include "tests/timeline/on_gpu/kernels_unit.h"
#include "warpline/isa/trace_host.h"

namespace timeline_on_gpu {

void begin(std::uint32_t multiprocessors) {
  warpline::isa::start_trace(
      {.multiprocessors = multiprocessors, .bytes = std::uint64_t{512} << 20});
}

void record_next() { warpline::isa::host_trace().armed = true; }

void forget() {
  warpline::isa::check_cuda(cudaMemset(&warpline::isa::host_trace().buffer->taken, 0, 4),
                            "cannot empty a timeline's buffer");
}

void discard() { warpline::isa::stop_trace(); }

warpline::timeline::Trace end(void* stream) {
  warpline::timeline::Trace trace = warpline::isa::finish_trace(static_cast<cudaStream_t>(stream));
  warpline::isa::stop_trace();
  return trace;
}

}  // namespace timeline_on_gpu
