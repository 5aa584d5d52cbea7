#include "simulator/rules.h"

#include "simulator/rule_list.h"

namespace warpline::simulator {

const char* to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::deadlock:
      return "deadlock";
    case FaultKind::no_progress:
      return "no progress";
    case FaultKind::out_of_bounds:
      return "out of bounds";
    case FaultKind::uninitialised_read:
      return "uninitialised read";
    case FaultKind::mbarrier_misuse:
      return "mbarrier misuse";
    case FaultKind::transaction_mismatch:
      return "transaction mismatch";
    case FaultKind::proxy_fence_missing:
      return "proxy fence missing";
    case FaultKind::mbarrier_fence_missing:
      return "mbarrier fence missing";
    case FaultKind::data_race:
      return "data race";
    case FaultKind::copy_race:
      return "copy race";
    case FaultKind::wgmma_race:
      return "wgmma race";
    case FaultKind::store_race:
      return "store race";
    case FaultKind::wgmma_misuse:
      return "wgmma misuse";
    case FaultKind::warp_disagreement:
      return "warp disagreement";
    case FaultKind::named_barrier_misuse:
      return "named barrier misuse";
    case FaultKind::register_pool:
      return "register pool";
    case FaultKind::copy_misuse:
      return "copy misuse";
    case FaultKind::exited_cta:
      return "exited CTA";
    case FaultKind::leak:
      return "leak";
  }
  return "?";
}

const char* to_string(Basis basis) {
  switch (basis) {
    case Basis::ptx:
      return "PTX ISA";
    case Basis::cuda:
      return "CUDA";
    case Basis::hardware:
      return "hardware";
    case Basis::practice:
      return "practice";
    case Basis::judgement:
      return "judgement";
  }
  return "?";
}

namespace {

/// In the order of the table in docs/design.md.
constexpr const Rule* all[] = {&rules::deadlock,
                               &rules::no_progress,
                               &rules::half_phase_at_exit,
                               &rules::undrained_signal,
                               &rules::shared_bounds,
                               &rules::stage_bounds,
                               &rules::cluster_bounds,
                               &rules::matrix_row_alignment,
                               &rules::shuffle_lane,
                               &rules::atomic_alignment,
                               &rules::access_alignment,
                               &rules::uninitialised_read,
                               &rules::data_race,
                               &rules::cluster_race,
                               &rules::copy_not_awaited,
                               &rules::overwritten_by_load,
                               &rules::store_buffer_rewritten,
                               &rules::store_not_complete,
                               &rules::stored_too_early,
                               &rules::stage_in_multiply,
                               &rules::release_for_warpgroup,
                               &rules::multiply_too_early,
                               &rules::accumulator_in_flight,
                               &rules::operand_register_in_flight,
                               &rules::proxy_fence_after_write,
                               &rules::proxy_fence_after_read,
                               &rules::barrier_init_fence,
                               &rules::cluster_init_fence,
                               &rules::barrier_alignment,
                               &rules::barrier_not_initialised,
                               &rules::barrier_initialised_twice,
                               &rules::barrier_overwritten,
                               &rules::barrier_invalidated_in_use,
                               &rules::barrier_init_race,
                               &rules::barrier_count_range,
                               &rules::transaction_range,
                               &rules::too_many_arrivals,
                               &rules::parity_range,
                               &rules::lapped_wait,
                               &rules::copy_without_barrier,
                               &rules::closed_slot,
                               &rules::remote_arrival_scope,
                               &rules::bytes_not_announced,
                               &rules::bytes_not_delivered,
                               &rules::warpgroup_alignment,
                               &rules::wgmma_fence_missing,
                               &rules::accumulator_shape,
                               &rules::operand_swizzle,
                               &rules::operand_outside_stage,
                               &rules::operand_slice,
                               &rules::lanes_disagree,
                               &rules::warpgroup_disagrees,
                               &rules::warpgroup_not_converged,
                               &rules::named_barrier_number,
                               &rules::named_barrier_count,
                               &rules::named_barrier_shared,
                               &rules::cluster_barrier_turns,
                               &rules::register_count,
                               &rules::registers_not_granted,
                               &rules::register_launch,
                               &rules::copy_alignment,
                               &rules::coordinate_alignment,
                               &rules::store_coordinate,
                               &rules::store_needs_cluster,
                               &rules::tensor_map,
                               &rules::copy_at_exit,
                               &rules::access_after_exit};

}  // namespace

std::span<const Rule* const> all_rules() { return all; }

}  // namespace warpline::simulator
