// One value from a role to all CTAs of its cluster.
#pragma once

#include "warpline/isa/mbarrier.h"
#include "warpline/isa/remote_store.h"
#include "warpline/isa/special_registers.h"

namespace warpline::inline WARPLINE_TARGET {

/// `value`, the same in all threads of `group`, to `place` of each of the `Ctas` CTAs, each of
/// which counts as many on its own `complete`: place and barrier are named by this CTA's, and
/// another CTA's value has another place. All threads of the role call it.
template <int Ctas, class T, class Group>
WARPLINE_DEVICE void send_to_cluster(T& place, const T& value, isa::Mbarrier& complete,
                                     const Group& group, SourceLine where) {
  if (group.leader()) {
    isa::mbarrier_arrive_expect_tx(complete, Ctas * sizeof(T), where);
  }
  const uint32_t lane = isa::lane_index();
  if (group.warp_rank() == 0 && lane < Ctas) {
    isa::store_async(place, value, complete, lane, where);
  }
}

}  // namespace warpline::inline WARPLINE_TARGET
