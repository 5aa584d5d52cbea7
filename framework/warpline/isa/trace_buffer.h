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

/// A recorded warp's part of the buffer: a head, its records, a tail.
struct alignas(16) TraceHead {
  uint32_t cta;
  uint32_t sm;
  uint32_t warp;
  uint32_t warps;  ///< of its CTA
  /// The SM's clock and the chip's when the warp began.
  uint64_t clock;
  uint64_t nanoseconds;
  /// Address of a name of this kernel: those of the others are near.
  uint64_t anchor;
};

/// When the warp ended.
struct alignas(16) TraceTail {
  uint64_t clock;  ///< 0: it has not
  uint64_t nanoseconds;
  int32_t left;  ///< records that would have found room; below 0: that found none
};

/// What the host sets, and the counter of who came.
struct TraceBuffer {
  uint32_t multiprocessors;  ///< CTAs on SMs below this are recorded ...
  uint32_t first_cta;        ///< ... of these in the grid
  uint32_t ctas;
  uint32_t records_per_warp;
  uint32_t parts;  ///< that there are
  uint32_t taken;  ///< that were asked for
  unsigned char* part;
};

WARPLINE_HOST_DEVICE constexpr uint64_t trace_part_bytes(uint32_t records) {
  return sizeof(TraceHead) + uint64_t{records} * sizeof(TraceRecord) + sizeof(TraceTail);
}

#if WARPLINE_ON_GPU
namespace trace_detail {

// A warp's pen: where its next record goes, and how many more have room (0 and less: none). These
// are registers of the kernel, declared by begin_trace and named in PTX, so that no function
// between an event and the kernel's entry has to pass them on, and an event waits for no load.
// `left` of whoever is not recorded is never above 0; it falls no further than `least_left`. A
// kernel that declares none does not assemble; the names are what ptxas then says.
#define WARPLINE_TRACE_NEXT "warpline_trace_next_needs_launch_or_untraced_kernel"
#define WARPLINE_TRACE_LEFT "warpline_trace_left_needs_launch_or_untraced_kernel"

inline constexpr int32_t least_left = -0x40000000;

__device__ __forceinline__ uint32_t clock_low() { return static_cast<uint32_t>(clock()); }

/// 4 bits of kind, 15 of the barrier's place in shared memory (in 8 bytes), 8 of the stage (255:
/// none).
__device__ __forceinline__ uint32_t what_of(timeline::Kind kind, int stage, const void* barrier) {
  const uint32_t place =
      barrier == nullptr ? 0 : static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
  const uint32_t shown = stage < 0 || stage > 254 ? 255u : static_cast<uint32_t>(stage);
  return (static_cast<uint32_t>(kind) | shown << 19) + place * 2;
}

/// One predicated store: lanes stay together, as wgmma wants them.
__device__ __forceinline__ void record(timeline::Kind kind, const char* name, int stage,
                                       const void* barrier, uint32_t begin, uint32_t second) {
  asm volatile(
      "{\n"
      ".reg .pred has_room;\n"
      "setp.gt.s32 has_room, " WARPLINE_TRACE_LEFT
      ", 0;\n"
      "@has_room st.global.cs.v4.b32 [" WARPLINE_TRACE_NEXT
      "], {%0, %1, %2, %3};\n"
      "add.s64 " WARPLINE_TRACE_NEXT ", " WARPLINE_TRACE_NEXT
      ", 16;\n"
      "add.s32 " WARPLINE_TRACE_LEFT ", " WARPLINE_TRACE_LEFT
      ", -1;\n"
      "max.s32 " WARPLINE_TRACE_LEFT ", " WARPLINE_TRACE_LEFT
      ", %4;\n"
      "}" ::"r"(begin),
      "r"(second), "r"(what_of(kind, stage, barrier)),
      "r"(static_cast<uint32_t>(reinterpret_cast<uint64_t>(name))), "n"(least_left));
}

__device__ __forceinline__ uint64_t chip_nanoseconds() {
  uint64_t nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

__device__ __forceinline__ void declare_pen() {
  asm volatile(".reg .b64 " WARPLINE_TRACE_NEXT ";\n.reg .b32 " WARPLINE_TRACE_LEFT ";" ::);
}

__device__ __forceinline__ void set_pen(const TraceRecord* next, uint32_t left) {
  asm volatile("mov.b64 " WARPLINE_TRACE_NEXT ", %0;\nmov.b32 " WARPLINE_TRACE_LEFT
               ", %1;" ::"l"(next),
               "r"(left));
}

/// Takes a part of the buffer for this warp, if its CTA is to be recorded; or returns null. One
/// thread.
__device__ __forceinline__ TraceHead* take_part(TraceBuffer* buffer) {
  const uint32_t cta = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (buffer == nullptr || sm >= buffer->multiprocessors || cta < buffer->first_cta ||
      cta - buffer->first_cta >= buffer->ctas) {
    return nullptr;
  }
  const uint32_t part = atomicAdd(&buffer->taken, 1u);
  if (part >= buffer->parts) {
    return nullptr;
  }
  auto* const head = reinterpret_cast<TraceHead*>(
      buffer->part + part * trace_part_bytes(buffer->records_per_warp));
  head->cta = cta;
  head->sm = sm;
  head->warp = threadIdx.x / threads_per_warp;
  head->warps = (blockDim.x + threads_per_warp - 1) / threads_per_warp;
  head->clock = static_cast<uint64_t>(clock64());
  head->nanoseconds = chip_nanoseconds();
  head->anchor = reinterpret_cast<uint64_t>("");
  return head;
}

}  // namespace trace_detail

/// All threads of the CTA, before anything else. Lane 0 speaks for its warp.
__device__ __forceinline__ void begin_trace(TraceBuffer* buffer) {
  trace_detail::declare_pen();
  const TraceRecord* next = nullptr;
  uint32_t left = 0;
  if (threadIdx.x % threads_per_warp == 0) {
    if (const TraceHead* const head = trace_detail::take_part(buffer); head != nullptr) {
      next = reinterpret_cast<const TraceRecord*>(head + 1);
      left = buffer->records_per_warp;
    }
  }
  trace_detail::set_pen(next, left);
}

/// Each warp, when it has done everything else. No branch: one that the roles meet at again keeps
/// the compiler from uniform registers in all of them. The tail is where `left` more records would
/// end; 0 for who has no part.
__device__ __forceinline__ void end_trace() {
  asm volatile(
      "{\n"
      ".reg .pred recorded;\n"
      ".reg .b64 tail, cycles, nanoseconds;\n"
      "mad.wide.s32 tail, " WARPLINE_TRACE_LEFT ", 16, " WARPLINE_TRACE_NEXT
      ";\n"
      "setp.ne.s64 recorded, tail, 0;\n"
      "setp.gt.and.s32 recorded, " WARPLINE_TRACE_LEFT
      ", %0, recorded;\n"
      "mov.u64 cycles, %%clock64;\n"
      "mov.u64 nanoseconds, %%globaltimer;\n"
      "@recorded st.global.v2.b64 [tail], {cycles, nanoseconds};\n"
      "@recorded st.global.b32 [tail + 16], " WARPLINE_TRACE_LEFT
      ";\n"
      "}" ::"n"(trace_detail::least_left));
}
#endif

}  // namespace warpline::inline WARPLINE_TARGET::isa
