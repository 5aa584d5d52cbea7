// What the GPU is asked for beside launches. Of the GPU only, and in a library without kernels:
// programs that have their own need it too.
#include "matmul/catalog.h"
#include "matmul/entry.h"
#include "warpline/isa/trace_host.h"

namespace warpline {

void synchronize_gpu_matmuls(const MatmulPlace& place) {
  synchronize(isa::stream_of(place.stream, place.simulator));
}

void begin_gpu_timeline(std::uint32_t multiprocessors) {
  isa::start_trace({.multiprocessors = multiprocessors});
}

timeline::Trace end_gpu_timeline(const MatmulPlace& place) {
  timeline::Trace trace = isa::finish_trace(isa::stream_of(place.stream, place.simulator));
  isa::stop_trace();
  return trace;
}

}  // namespace warpline
