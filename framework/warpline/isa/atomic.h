// Atomic accesses to global memory, by which CTAs and clusters hand data to each other (PTX ISA,
// "ld", "st", "atom", "red"; "Memory Consistency Model: Release and Acquire Patterns").
//
// All have the scope of the GPU. A thread that has read, with acquire, what another wrote, with
// release, knows what that one knew: its writes, and those of all who synchronised with it before
// (a __syncthreads(), a barrier). For data that the copy engine reads afterwards the proxy fence is
// due as well: fence_proxy_async_global() after the writes and before the release.
#pragma once

#include <cstdint>
#include <type_traits>

#include "warpline/isa/wait.h"

namespace warpline::inline WARPLINE_TARGET::isa {

template <class T>
concept AtomicInteger = std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t>;

/// Reads a flag that another CTA sets with store_release or add_release.
template <AtomicInteger T>
WARPLINE_DEVICE T load_acquire(const T* place, SourceLine where = SourceLine::current()) {
#if WARPLINE_ON_GPU
  (void)where;
  T value;
  asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
  return value;
#else
  at_line(where);
  simulator::atomic_begin(place, sizeof(T), {.acquire = true});
  const T value = *place;
  simulator::atomic_end(place, false);
  return value;
#endif
}

/// Sets a flag: whoever sees it with load_acquire knows what this thread knew.
template <AtomicInteger T>
WARPLINE_DEVICE void store_release(T* place, T value, SourceLine where = SourceLine::current()) {
#if WARPLINE_ON_GPU
  (void)where;
  asm volatile("st.release.gpu.global.b32 [%0], %1;" : : "l"(place), "r"(value) : "memory");
#else
  at_line(where);
  simulator::atomic_begin(place, sizeof(T), {.release = true, .write = true});
  *place = value;
  simulator::atomic_end(place, true);
#endif
}

/// Adds, and returns what was there before: a ticket, or a count of those who are ready. It both
/// acquires what those before have released and releases what this thread knows.
template <AtomicInteger T>
WARPLINE_DEVICE T add_acquire_release(T* place, T value, SourceLine where = SourceLine::current()) {
#if WARPLINE_ON_GPU
  (void)where;
  T before;
  asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(place), "r"(value)
               : "memory");
  return before;
#else
  at_line(where);
  simulator::atomic_begin(place, sizeof(T),
                          {.acquire = true, .release = true, .write = true, .read = true});
  const T before = *place;
  *place = static_cast<T>(static_cast<uint32_t>(before) + static_cast<uint32_t>(value));
  simulator::atomic_end(place, true);
  return before;
#endif
}

/// Adds to a sum that many CTAs make. Orders nothing: who reads the sum must have synchronised with
/// all who added. The order of the additions, and so the rounding of floats, differs from run to
/// run.
template <class T>
WARPLINE_DEVICE void add_relaxed(T* place, T value, SourceLine where = SourceLine::current()) {
  static_assert(std::is_same_v<T, float> || AtomicInteger<T>,
                "add_relaxed adds float, int32_t or uint32_t");
#if WARPLINE_ON_GPU
  (void)where;
  if constexpr (std::is_same_v<T, float>) {
    asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" : : "l"(place), "f"(value) : "memory");
  } else {
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" : : "l"(place), "r"(value) : "memory");
  }
#else
  at_line(where);
  simulator::atomic_begin(place, sizeof(T), {.write = true, .read = true});
  if constexpr (std::is_same_v<T, float>) {
    *place += value;
  } else {
    *place = static_cast<T>(static_cast<uint32_t>(*place) + static_cast<uint32_t>(value));
  }
  simulator::atomic_end(place, true);
#endif
}

/// add_relaxed for four neighbouring floats at a multiple of 16 bytes, in one instruction. Each is
/// added by itself: another thread's addition may fall between two of them.
WARPLINE_DEVICE void add_four_relaxed(float* place, const float (&values)[4],
                                      SourceLine where = SourceLine::current()) {
#if WARPLINE_ON_GPU
  (void)where;
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(place), "f"(values[0]), "f"(values[1]), "f"(values[2]), "f"(values[3])
               : "memory");
#else
  at_line(where);
  simulator::check_atomic_alignment(place, sizeof values);
  for (int i = 0; i < 4; ++i) {
    simulator::atomic_begin(place + i, sizeof(float), {.write = true, .read = true});
    place[i] += values[i];
    simulator::atomic_end(place + i, true);
  }
#endif
}

/// Raises a number that many CTAs look for the largest of; it orders nothing. Non-negative floats
/// compare as their bits do, and any NaN is larger than all numbers.
WARPLINE_DEVICE void max_relaxed(uint32_t* place, uint32_t value,
                                 SourceLine where = SourceLine::current()) {
#if WARPLINE_ON_GPU
  (void)where;
  asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" : : "l"(place), "r"(value) : "memory");
#else
  at_line(where);
  simulator::atomic_begin(place, sizeof(uint32_t), {.write = true, .read = true});
  *place = *place < value ? value : *place;
  simulator::atomic_end(place, true);
#endif
}

/// Waits until the flag is at least `value` (as unsigned numbers), and acquires. The CTA that sets
/// it must be running or have run: a grid larger than what fits on the GPU may wait for ever for a
/// CTA that has not started. In checked builds the wait is bounded.
template <AtomicInteger T>
WARPLINE_DEVICE void wait_at_least(const T* flag, T value, WaitSite site,
                                   SourceLine where = SourceLine::current()) {
#if !WARPLINE_ON_GPU
  (void)site;
  at_line(where);
  while (static_cast<uint32_t>(load_acquire(flag, where)) < static_cast<uint32_t>(value)) {
    simulator::await_change(flag, static_cast<uint32_t>(value));
  }
#elif WARPLINE_CHECKED
  const CheckMailbox* mailbox = check_mailbox();
  const uint64_t limit =
      mailbox != nullptr ? mailbox->wait_limit_nanoseconds : wait_detail::default_limit_nanoseconds;
  const uint64_t start = global_nanoseconds();
  while (static_cast<uint32_t>(load_acquire(flag, where)) < static_cast<uint32_t>(value)) {
    if (global_nanoseconds() - start > limit) {
      wait_detail::expire(site, static_cast<uint32_t>(value));
    }
  }
#else
  (void)site;
  while (static_cast<uint32_t>(load_acquire(flag, where)) < static_cast<uint32_t>(value)) {
  }
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
