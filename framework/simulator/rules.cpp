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

std::span<const Rule* const> all_rules() { return rules::all; }

}  // namespace warpline::simulator
