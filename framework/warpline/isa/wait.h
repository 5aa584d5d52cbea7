// Waiting for a phase of an mbarrier: for ever, or in checked builds for a bounded time and then
// with a record of who waited for what.
#pragma once

#include "warpline/isa/check_mailbox.h"
#include "warpline/isa/clock.h"
#include "warpline/isa/mbarrier.h"
#include "warpline/isa/special_registers.h"
#include "warpline/isa/trace.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// What a wait is called in reports.
struct WaitSite {
  const char* role;
  const char* barrier;
  int stage;
};

#if WARPLINE_ON_GPU
namespace wait_detail {

inline constexpr uint64_t default_limit_nanoseconds = 2'000'000'000;

WARPLINE_DEVICE void copy_name(char (&to)[CheckMailbox::name_length], const char* from) {
  int i = 0;
  for (; i + 1 < CheckMailbox::name_length && from[i] != 0; ++i) {
    to[i] = from[i];
  }
  to[i] = 0;
}

WARPLINE_DEVICE bool same_name(const char* a, const char* b) {
  for (int i = 0; i < CheckMailbox::name_length; ++i) {
    if (a[i] != b[i]) {
      return false;
    }
    if (a[i] == 0) {
      break;
    }
  }
  return true;
}

/// Leaves the record and stops the kernel.
WARPLINE_DEVICE void expire(WaitSite site, uint32_t parity) {
  CheckMailbox* mailbox = check_mailbox();
  if (mailbox != nullptr && atomicCAS_system(&mailbox->state, 0u, 1u) == 0u) {
    copy_name(mailbox->role, site.role);
    copy_name(mailbox->barrier, site.barrier);
    mailbox->stage = site.stage;
    mailbox->parity = parity;
    mailbox->cta[0] = blockIdx.x;
    mailbox->cta[1] = blockIdx.y;
    mailbox->cta[2] = blockIdx.z;
    mailbox->thread = threadIdx.x;
    __threadfence_system();
    atomicExch_system(&mailbox->state, 2u);
  }
  // Another thread is writing the record: give it time before the trap ends them all.
  for (int i = 0; i < 1000; ++i) {
    __nanosleep(10000);
    if (mailbox == nullptr || atomicAdd_system(&mailbox->state, 0u) == 2u) {
      break;
    }
  }
  __trap();
}

/// Shakes the role that the host named, to bring out orders that the hardware rarely shows.
WARPLINE_DEVICE void delay(WaitSite site, Mbarrier& barrier) {
  const CheckMailbox* mailbox = check_mailbox();
  if (mailbox == nullptr || mailbox->delay_nanoseconds == 0 ||
      !same_name(mailbox->delayed_role, site.role)) {
    return;
  }
  // One draw per warp, so that lanes stay together: mix seed, CTA, warp, barrier and time
  // (Murmur3's finaliser).
  uint32_t h = mailbox->delay_seed ^ (blockIdx.x * 0x9e3779b9u) ^
               ((threadIdx.x / 32) * 0x85ebca6bu) ^ shared_address(&barrier) ^
               static_cast<uint32_t>(clock64() >> 6);
  const uint32_t active = __activemask();
  h = __shfl_sync(active, h, __ffs(static_cast<int>(active)) - 1);
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  if (h % 4 == 0) {
    __nanosleep(h / 4 % mailbox->delay_nanoseconds);
  }
}

}  // namespace wait_detail
#endif

/// Returns when the phase of the given parity has completed.
WARPLINE_DEVICE void wait(Mbarrier& barrier, uint32_t parity, WaitSite site,
                          SourceLine where = SourceLine::current()) {
  at_line(where);
  const TraceTime begin = trace_now();
#if !WARPLINE_ON_GPU
  simulator::mbarrier_wait(&barrier, parity);
#elif WARPLINE_CHECKED
  wait_detail::delay(site, barrier);
  const CheckMailbox* mailbox = check_mailbox();
  const uint64_t limit =
      mailbox != nullptr ? mailbox->wait_limit_nanoseconds : wait_detail::default_limit_nanoseconds;
  const uint64_t start = global_nanoseconds();
  while (!mbarrier_try_wait(barrier, parity)) {
    if (global_nanoseconds() - start > limit) {
      wait_detail::expire(site, parity);
    }
  }
#else
  while (!mbarrier_try_wait(barrier, parity)) {
  }
#endif
  trace_span(TraceKind::wait, {site.barrier, site.stage, &barrier}, begin);
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
