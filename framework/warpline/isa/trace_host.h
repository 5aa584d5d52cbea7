// The host's side of a GPU trace: the buffer, and what comes back. Needs warpline::timeline.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
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
  cudaFree(trace.parts);
  trace = {};
}

/// Warps that are recorded at most, whatever their room.
inline constexpr uint32_t most_parts = 65536;

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
  if (plan.records_per_warp == 0 || plan.bytes < trace_part_bytes(plan.records_per_warp)) {
    throw Error("a timeline of " + std::to_string(plan.bytes) +
                " bytes has no room for one warp's " + std::to_string(plan.records_per_warp) +
                " events of " + std::to_string(sizeof(TraceRecord)) + " bytes");
  }
  const uint64_t part_bytes = trace_part_bytes(plan.records_per_warp);
  TraceBuffer header{
      .multiprocessors = plan.multiprocessors,
      .first_cta = plan.first_cta,
      .ctas = plan.ctas,
      .records_per_warp = plan.records_per_warp,
      .parts = static_cast<uint32_t>(std::min<uint64_t>(plan.bytes / part_bytes, most_parts)),
      .taken = 0,
      .part = nullptr};
  const uint64_t bytes = header.parts * part_bytes;
  check_cuda(cudaMalloc(&trace.buffer, sizeof(TraceBuffer)), "cannot have memory for a timeline");
  check_cuda(cudaMalloc(&trace.parts, bytes),
             "cannot have " + std::to_string(bytes) + " bytes of GPU memory for a timeline");
  check_cuda(cudaMemset(trace.parts, 0, bytes), "cannot clear a timeline");
  header.part = trace.parts;
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

/// What a warp has left; where it did not end, all of its part.
inline timeline::RawWarp read_warp(const unsigned char* part, uint32_t room) {
  const auto copy = [](void* to, const unsigned char* from, uint64_t bytes) {
    check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cannot read a timeline");
  };
  const uint64_t records = uint64_t{room} * sizeof(TraceRecord);
  TraceHead head;
  TraceTail tail;
  copy(&head, part, sizeof head);
  copy(&tail, part + sizeof head + records, sizeof tail);
  timeline::RawWarp warp{.cta = head.cta,
                         .sm = head.sm,
                         .warp = head.warp,
                         .warps = head.warps,
                         .begin = {head.clock, head.nanoseconds},
                         .end = {tail.clock, tail.nanoseconds},
                         .anchor = head.anchor,
                         .count = room - static_cast<uint32_t>(tail.left)};
  static_assert(sizeof(timeline::RawRecord) == sizeof(TraceRecord));
  warp.records.resize(warp.ended() && warp.count < room ? warp.count : room);
  if (!warp.records.empty()) {
    copy(warp.records.data(), part + sizeof head, warp.records.size() * sizeof(TraceRecord));
  }
  return warp;
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
  std::vector<timeline::RawWarp> warps;
  for (uint32_t part = 0; part < header.taken && part < header.parts; ++part) {
    warps.push_back(trace_detail::read_warp(
        trace.parts + part * trace_part_bytes(header.records_per_warp), header.records_per_warp));
  }
  return timeline::decode(trace.kernel, warps, header.taken, trace_detail::name_at);
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
