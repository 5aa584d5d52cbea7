// Where a GPU kernel leaves the events of its timeline (WARPLINE_TRACE). The host hands each launch
// a buffer, or none; each warp has a part of it to itself, so that recording needs no atomics.
#pragma once

#include <cstdint>

#include "timeline/kind.h"
#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// 16 bytes, one store. Spans: begin and end; moments: time and amount.
struct alignas(16) TraceRecord {
  uint32_t begin;   ///< the low half of clock64
  uint32_t second;  ///< end or amount
  uint32_t what;    ///< kind, stage, barrier: see trace_detail::what_of
  uint32_t name;    ///< the low half of the name's address
};

/// One recorded CTA.
struct TraceCta {
  static constexpr int most_warps = 32;
  uint32_t cta;
  uint32_t sm;
  uint32_t warps;
  uint32_t reserved;
  /// The SM's clock and the chip's at the CTA's begin, and at the end of its last warp.
  uint64_t clock_begin;
  uint64_t nanoseconds_begin;
  unsigned long long clock_end;
  unsigned long long nanoseconds_end;
  /// Address of a name of this kernel: those of the others are near.
  uint64_t anchor;
  uint64_t roles[most_warps];   ///< addresses of names; 0 for none
  uint32_t counts[most_warps];  ///< events, also those that found no room
  uint32_t ended[most_warps];
};

/// What the host sets, and the counters of what did not fit.
struct TraceBuffer {
  uint32_t multiprocessors;  ///< CTAs on SMs below this are recorded ...
  uint32_t first_cta;        ///< ... of these in the grid
  uint32_t ctas;
  uint32_t most_ctas;  ///< entries of `cta`
  uint32_t records_per_warp;
  uint32_t taken;         ///< CTAs that asked for an entry
  uint64_t most_records;  ///< entries of `record`
  TraceCta* cta;
  TraceRecord* record;
};

#if WARPLINE_ON_GPU
namespace trace_detail {

/// In shared memory, so that no function between an event and the kernel's entry has to pass it on.
/// A kernel that was not started by launch() never sets it; the seal tells what is there by chance
/// from what was put there.
struct alignas(16) Slot {
  TraceRecord* records;
  uint32_t room;  ///< for each warp; 0: this CTA is not recorded
  uint32_t seal;
  TraceCta* cta;
  uint32_t counts[TraceCta::most_warps];
};

__device__ __forceinline__ Slot& slot() {
  __shared__ Slot shared_slot;
  return shared_slot;
}

__device__ __forceinline__ uint32_t seal_of(const TraceRecord* records, uint32_t room) {
  return (static_cast<uint32_t>(reinterpret_cast<uint64_t>(records)) ^ room) * 0x9e3779b1u ^
         0x5ea1ed0fu;
}

__device__ __forceinline__ uint32_t clock_low() { return static_cast<uint32_t>(clock()); }

/// 4 bits of kind, 15 of the barrier's place in shared memory, 8 of the stage (255: none).
__device__ __forceinline__ uint32_t what_of(timeline::Kind kind, int stage, const void* barrier) {
  const uint32_t place =
      barrier == nullptr ? 0 : static_cast<uint32_t>(__cvta_generic_to_shared(barrier)) / 8;
  const uint32_t shown = stage < 0 || stage > 254 ? 255u : static_cast<uint32_t>(stage);
  return static_cast<uint32_t>(kind) | place << 4 | shown << 19;
}

__device__ __forceinline__ void record(timeline::Kind kind, const char* name, int stage,
                                       const void* barrier, uint32_t begin, uint32_t second,
                                       bool speaks) {
  Slot& mine = slot();
  TraceRecord* const records = mine.records;
  const uint32_t room = mine.room;
  if (speaks && room != 0 && mine.seal == seal_of(records, room)) {
    const uint32_t warp = threadIdx.x / threads_per_warp;
    const uint32_t at = mine.counts[warp];
    mine.counts[warp] = at + 1;
    if (at < room) {
      const uint4 words{begin, second, what_of(kind, stage, barrier),
                        static_cast<uint32_t>(reinterpret_cast<uint64_t>(name))};
      __stcs(reinterpret_cast<uint4*>(records + warp * room + at), words);
    }
  }
}

__device__ __forceinline__ void record_role(const char* name, bool speaks) {
  const Slot& mine = slot();
  if (speaks && mine.room != 0 && mine.seal == seal_of(mine.records, mine.room)) {
    mine.cta->roles[threadIdx.x / threads_per_warp] = reinterpret_cast<uint64_t>(name);
  }
}

__device__ __forceinline__ uint64_t chip_nanoseconds() {
  uint64_t nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

/// Takes an entry of the buffer for this CTA, if it is to be recorded. One thread.
__device__ __forceinline__ void take_entry(TraceBuffer* buffer) {
  Slot& mine = slot();
  mine.records = nullptr;
  mine.room = 0;
  const uint32_t cta = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const uint32_t warps = (blockDim.x + threads_per_warp - 1) / threads_per_warp;
  uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (buffer != nullptr && sm < buffer->multiprocessors && cta >= buffer->first_cta &&
      cta - buffer->first_cta < buffer->ctas) {
    const uint32_t entry = atomicAdd(&buffer->taken, 1u);
    const uint64_t first = uint64_t{entry} * warps * buffer->records_per_warp;
    if (entry < buffer->most_ctas &&
        first + uint64_t{warps} * buffer->records_per_warp <= buffer->most_records) {
      TraceCta& info = buffer->cta[entry];
      info.cta = cta;
      info.sm = sm;
      info.warps = warps;
      info.anchor = reinterpret_cast<uint64_t>("");
      info.clock_begin = static_cast<uint64_t>(clock64());
      info.nanoseconds_begin = chip_nanoseconds();
      mine.records = buffer->record + first;
      mine.room = buffer->records_per_warp;
      mine.cta = &info;
    }
  }
  mine.seal = seal_of(mine.records, mine.room);
}

}  // namespace trace_detail

/// All threads of the CTA, before anything else.
__device__ __forceinline__ void begin_trace(TraceBuffer* buffer) {
  if (threadIdx.x < TraceCta::most_warps) {
    trace_detail::slot().counts[threadIdx.x] = 0;
  }
  if (threadIdx.x == 0) {
    trace_detail::take_entry(buffer);
  }
  __syncthreads();
}

/// Each warp, when it has done everything else.
__device__ __forceinline__ void end_trace() {
  const trace_detail::Slot& mine = trace_detail::slot();
  if (mine.room != 0 && threadIdx.x % threads_per_warp == 0) {
    const uint32_t warp = threadIdx.x / threads_per_warp;
    mine.cta->counts[warp] = mine.counts[warp];
    mine.cta->ended[warp] = 1;
    atomicMax(&mine.cta->clock_end, static_cast<unsigned long long>(clock64()));
    atomicMax(&mine.cta->nanoseconds_end,
              static_cast<unsigned long long>(trace_detail::chip_nanoseconds()));
  }
}
#endif

}  // namespace warpline::inline WARPLINE_TARGET::isa
