// The host's side of a GPU trace: the buffer, and what comes back. Needs warpline::timeline.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "timeline/decode.h"
#include "warpline/error.h"
#include "warpline/isa/launch_grid.h"
#include "warpline/isa/trace_buffer.h"

namespace warpline::inline WARPLINE_TARGET::isa {

struct TracePlan {
  uint32_t multiprocessors = 2;
  uint32_t first_cta = 0;
  uint32_t ctas = 0xffffffff;
  uint32_t records_per_warp = 16384;
  uint64_t bytes = uint64_t{256} << 20;
};

inline void stop_trace() {
  HostTrace& trace = host_trace();
  cudaFree(trace.buffer);
  cudaFree(trace.ctas);
  cudaFree(trace.records);
  trace = {};
}

/// The next launch of this process is recorded.
inline void start_trace(const TracePlan& plan) {
  if constexpr (!traced) {
    throw Error(
        "this build's GPU kernels record no timeline: configure with -D WARPLINE_TRACE=ON (preset "
        "`trace`)");
  }
  require_no_pending_error();
  require_hopper();
  HostTrace& trace = host_trace();
  if (trace.buffer != nullptr) {
    throw Error("a timeline is being recorded already: one TraceSession at a time");
  }
  if (plan.records_per_warp == 0 || plan.bytes < uint64_t{plan.records_per_warp} * 16) {
    throw Error("a timeline of " + std::to_string(plan.bytes) +
                " bytes has no room for one warp's " + std::to_string(plan.records_per_warp) +
                " events of 16 bytes");
  }
  constexpr uint32_t most_ctas = 4096;
  const uint64_t most_records = plan.bytes / sizeof(TraceRecord);
  check_cuda(cudaMalloc(&trace.buffer, sizeof(TraceBuffer)), "cannot have memory for a timeline");
  check_cuda(cudaMalloc(&trace.ctas, most_ctas * sizeof(TraceCta)),
             "cannot have memory for a timeline");
  check_cuda(cudaMalloc(&trace.records, most_records * sizeof(TraceRecord)),
             "cannot have " + std::to_string(plan.bytes) + " bytes of GPU memory for a timeline");
  check_cuda(cudaMemset(trace.ctas, 0, most_ctas * sizeof(TraceCta)), "cannot clear a timeline");
  check_cuda(cudaMemset(trace.records, 0, most_records * sizeof(TraceRecord)),
             "cannot clear a timeline");
  const TraceBuffer header{.multiprocessors = plan.multiprocessors,
                           .first_cta = plan.first_cta,
                           .ctas = plan.ctas,
                           .most_ctas = most_ctas,
                           .records_per_warp = plan.records_per_warp,
                           .taken = 0,
                           .most_records = most_records,
                           .cta = trace.ctas,
                           .record = trace.records};
  check_cuda(cudaMemcpy(trace.buffer, &header, sizeof header, cudaMemcpyHostToDevice),
             "cannot prepare a timeline");
  trace.armed = true;
}

namespace trace_detail {

inline constexpr int name_bytes = 64;

/// Names are string literals in the GPU's memory.
template <int Bytes>
__global__ void read_names(const uint64_t* addresses, int count, char* names) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) {
    const char* from = reinterpret_cast<const char*>(addresses[i]);
    int at = 0;
    for (; at + 1 < Bytes && from[at] != 0; ++at) {
      names[i * Bytes + at] = from[at];
    }
    names[i * Bytes + at] = 0;
  }
}

/// The text at one address.
inline std::string name_at(uint64_t address) {
  uint64_t* addresses = nullptr;
  char* names = nullptr;
  std::string text(name_bytes, '\0');
  const bool read =
      cudaMalloc(&addresses, sizeof address) == cudaSuccess &&
      cudaMalloc(&names, name_bytes) == cudaSuccess &&
      cudaMemcpy(addresses, &address, sizeof address, cudaMemcpyHostToDevice) == cudaSuccess &&
      (read_names<name_bytes><<<1, 1>>>(addresses, 1, names), cudaGetLastError()) == cudaSuccess &&
      cudaMemcpy(text.data(), names, name_bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(addresses);
  cudaFree(names);
  return read ? std::string(text.c_str()) : "name " + std::to_string(address);
}

/// What a CTA has left; of warps that did not end, as much as is there.
inline timeline::RawCta read_cta(const TraceCta& info, uint64_t first, uint32_t room,
                                 const TraceRecord* device) {
  timeline::RawCta cta{.cta = info.cta,
                       .sm = info.sm,
                       .clock_begin = info.clock_begin,
                       .nanoseconds_begin = info.nanoseconds_begin,
                       .clock_end = info.clock_end,
                       .nanoseconds_end = info.nanoseconds_end,
                       .anchor = info.anchor};
  static_assert(sizeof(timeline::RawRecord) == sizeof(TraceRecord));
  for (uint32_t w = 0; w < info.warps && w < TraceCta::most_warps; ++w) {
    timeline::RawWarp warp{
        .warp = w, .role = info.roles[w], .count = info.counts[w], .ended = info.ended[w] != 0};
    warp.records.resize(warp.ended && warp.count < room ? warp.count : room);
    if (!warp.records.empty()) {
      check_cuda(cudaMemcpy(warp.records.data(), device + first + uint64_t{w} * room,
                            warp.records.size() * sizeof(TraceRecord), cudaMemcpyDeviceToHost),
                 "cannot read a timeline");
    }
    cta.warps.push_back(std::move(warp));
  }
  return cta;
}

}  // namespace trace_detail

/// Waits for the recorded launch and reads what it has left.
inline timeline::Trace finish_trace(Stream stream) {
  HostTrace& trace = host_trace();
  if (trace.buffer == nullptr) {
    throw Error("no timeline is being recorded");
  }
  synchronize_stream(stream);
  TraceBuffer header;
  check_cuda(cudaMemcpy(&header, trace.buffer, sizeof header, cudaMemcpyDeviceToHost),
             "cannot read a timeline");
  std::vector<TraceCta> infos(header.taken < header.most_ctas ? header.taken : header.most_ctas);
  if (!infos.empty()) {
    check_cuda(cudaMemcpy(infos.data(), trace.ctas, infos.size() * sizeof(TraceCta),
                          cudaMemcpyDeviceToHost),
               "cannot read a timeline");
  }
  std::vector<timeline::RawCta> ctas;
  for (size_t i = 0; i < infos.size(); ++i) {
    const uint64_t first = i * infos[i].warps * header.records_per_warp;
    if (infos[i].warps != 0) {  // 0: there was no room for it
      ctas.push_back(
          trace_detail::read_cta(infos[i], first, header.records_per_warp, trace.records));
    }
  }
  timeline::Trace result = timeline::decode(trace.kernel, ctas, trace_detail::name_at);
  result.dropped_ctas = header.taken - ctas.size();
  return result;
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
