// Checked builds: where a device wait that ran out leaves its record. The host allocates one
// mailbox in pinned memory for each launch and reads it when the launch fails; printf in a wait
// would serialise wgmma (C7510).
#pragma once

#include <cstdint>

#include "warpline/target.h"

namespace warpline::inline WARPLINE_TARGET::isa {

struct CheckMailbox {
  static constexpr int name_length = 32;

  /// Set by the host.
  uint64_t wait_limit_nanoseconds;
  /// Random delays of up to this long before each wait of the role named `delayed_role`; 0 for
  /// none.
  uint32_t delay_nanoseconds;
  uint32_t delay_seed;
  char delayed_role[name_length];

  /// Set by the first thread whose wait ran out: 0 nothing, 1 being written, 2 complete.
  uint32_t state;
  char role[name_length];
  char barrier[name_length];
  int32_t stage;
  uint32_t parity;
  uint32_t cta[3];
  uint32_t thread;
};

#if WARPLINE_ON_GPU
namespace check_mailbox_detail {

/// In shared memory, so that no function between a wait and the kernel's entry has to pass it on. A
/// kernel that was not started by launch() never sets it; the seal tells what is there by chance
/// from what was put there.
struct Slot {
  CheckMailbox* mailbox;
  uint64_t seal;
};

__device__ __forceinline__ Slot& slot() {
  __shared__ Slot shared_slot;
  return shared_slot;
}

__device__ __forceinline__ uint64_t seal_of(const CheckMailbox* mailbox) {
  return reinterpret_cast<uint64_t>(mailbox) ^ 0x5ea1ed0f5ea1ed0full;
}

}  // namespace check_mailbox_detail

/// One thread, before a barrier of the CTA.
__device__ __forceinline__ void set_check_mailbox(CheckMailbox* mailbox) {
  check_mailbox_detail::slot() = {mailbox, check_mailbox_detail::seal_of(mailbox)};
}

/// The mailbox of the running kernel; null if it was not started by launch().
__device__ __forceinline__ CheckMailbox* check_mailbox() {
  const check_mailbox_detail::Slot& slot = check_mailbox_detail::slot();
  return slot.seal == check_mailbox_detail::seal_of(slot.mailbox) ? slot.mailbox : nullptr;
}
#endif

}  // namespace warpline::inline WARPLINE_TARGET::isa
