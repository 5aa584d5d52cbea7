// Kinds of events. Apart, because every kernel unit includes it.
#pragma once

#include <cstdint>

namespace warpline::timeline {

enum class Kind : std::uint8_t {
  wait,            ///< for a phase of an mbarrier
  multiply_wait,   ///< for multiplies, by wgmma.wait_group
  store_wait,      ///< for the copy engine to have read or written stores
  meet,            ///< with other warps, at a named barrier or the CTA's barrier
  copy_issue,      ///< a load into shared memory was issued; `amount` is its bytes
  multiply_issue,  ///< a group of wgmma was issued; `amount` is its cycles at full rate
  release,         ///< an arrival that says that a stage was used
  store_issue,     ///< a store from shared memory was issued; `amount` is its bytes
  epilogue,        ///< accumulators are rounded and written
  user,            ///< named by the kernel's author
  copy,            ///< engine: a load under way, from its issue until it has landed
  multiply,        ///< engine: the tensor cores at work
  store,           ///< engine: a store under way
};
inline constexpr int kinds = 13;

/// In a GPU's records only: the role of the warp. Decoding makes it the track's.
inline constexpr Kind raw_role{15};

const char* to_string(Kind kind);

}  // namespace warpline::timeline
