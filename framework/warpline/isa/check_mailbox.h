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
/// The mailbox of the running kernel: in shared memory, so that no function between here and the
/// kernel's entry has to pass it on. Null if the launch has none.
__device__ __forceinline__ CheckMailbox*& check_mailbox() {
  __shared__ CheckMailbox* mailbox;
  return mailbox;
}
#endif

}  // namespace warpline::inline WARPLINE_TARGET::isa
