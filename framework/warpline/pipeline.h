// Pipeline: a ring of shared-memory stages that roles hand to each other through mbarriers.
//
// Who may do what follows from the types: arrival counts from the roles, transaction bytes from the
// Stage, cluster masks from its Multicast tiles. An endpoint (ring_end.h) carries a role's place in
// the ring through all its loops. Use it alone: this header needs nothing of matmul.
#pragma once

#include "warpline/isa/fence.h"
#include "warpline/isa/mbarrier.h"
#include "warpline/members.h"
#include "warpline/multicast.h"
#include "warpline/pipeline_phase.h"
#include "warpline/ring_end.h"
#include "warpline/shared_array.h"
#include "warpline/static_for.h"
#include "warpline/thread_group.h"

namespace warpline::inline WARPLINE_TARGET {

struct PipelineConfig {
  int stages = 2;
  Release release = Release::per_warp;
  ClusterShape cluster = {};
};

namespace pipeline_detail {

template <class... Members>
constexpr int tile_bytes(TypeList<Members...>) {
  return ((is_copied_tile<Members> ? copied_bytes<Members> : 0) + ... + 0);
}

template <class... Members>
constexpr bool any_array(TypeList<Members...>) {
  return (is_shared_array<Members> || ...);
}

template <class... Members>
constexpr bool any_multicast(TypeList<Members...>, ClusterAxis axis) {
  return (multicasts_along<Members>(axis) || ...);
}

template <class... Members>
constexpr bool all_stage_members(TypeList<Members...>) {
  return (is_stage_member<Members> && ...);
}

template <ClusterShape Cluster, class... Members>
constexpr bool multicasts_fit(TypeList<Members...>) {
  return (multicast_fits<Members>(Cluster) && ...);
}

}  // namespace pipeline_detail

/// `Stage` is a plain struct of SharedTile, Multicast and SharedArray members. `Phases`
/// (pipeline_phase.h) starts with the one that fills; the last one frees the stage for it.
template <class StageType, PipelineConfig Config, class... Phases>
class Pipeline {
 public:
  using Stage = StageType;
  static constexpr PipelineConfig config = Config;
  static constexpr int stages = Config.stages;
  static constexpr int phases = sizeof...(Phases);
  static constexpr Access accesses[phases] = {Phases::access...};

  static_assert(stages >= 1, "a pipeline has at least one stage");
  static_assert(phases >= 2,
                "a pipeline has at least two phases: one fills a stage, another reads it");
  static_assert(Config.release != Release::per_warpgroup ||
                    (phase_detail::whole_warpgroups<Phases>() && ...),
                "Release::per_warpgroup needs roles of whole warpgroups: use Release::per_warp");
  static_assert(Config.cluster.x >= 1 && Config.cluster.y >= 1 && Config.cluster.size() <= 16,
                "a cluster has 1 to 16 CTAs");
  static_assert(accesses[0] != Access::tensor_cores,
                "the first phase fills the stages: FilledByCopies or FilledByThreads");
  static_assert(accesses[phases - 1] != Access::copies,
                "the last phase reads the stages: ReadByThreads or ReadByTensorCores");

  static_assert(std::is_aggregate_v<Stage>,
                "a Stage is a plain struct: no constructors, bases or private members");
  using Members = MemberTypes<Stage>;
  static_assert(pipeline_detail::all_stage_members(Members{}),
                "a Stage consists of SharedTile, Multicast and SharedArray members only, none of "
                "them within another struct: their bytes are counted by type");
  static_assert(pipeline_detail::multicasts_fit<Config.cluster>(Members{}),
                "a Multicast tile's CTAs must be the cluster's extent along its axis "
                "(PipelineConfig::cluster)");

  /// Bytes of all tiles of a stage: what the full barrier waits for.
  static constexpr int tile_bytes = pipeline_detail::tile_bytes(Members{});
  static_assert(tile_bytes < (1 << 20),
                "an mbarrier counts at most 2^20 - 1 bytes per phase: use smaller stages");

  /// CTAs whose loads write into this CTA's stages, and which therefore must hear of their release.
  static constexpr bool multicast_x = pipeline_detail::any_multicast(Members{}, ClusterAxis::x);
  static constexpr bool multicast_y = pipeline_detail::any_multicast(Members{}, ClusterAxis::y);
  static constexpr int peers =
      1 + (multicast_x ? Config.cluster.x - 1 : 0) + (multicast_y ? Config.cluster.y - 1 : 0);

  static constexpr int arrivals[phases] = {phase_detail::arrivals_of<Phases>(Config.release)...};

  /// Arrivals that complete barrier `phase`: the last phase frees the stage in every CTA that fills
  /// it.
  static constexpr int arrival_count(int phase) {
    return arrivals[phase] * (phase == phases - 1 ? peers : 1);
  }

  /// What barrier `phase` announces.
  static WARPLINE_HOST_DEVICE constexpr const char* barrier_name(int phase) {
    return phase == phases - 1 ? "empty" : phase == 0 ? "full" : "transformed";
  }

  /// With one filling role and only tiles, the whole stage is armed by one instruction; otherwise
  /// each load announces its own bytes.
  static constexpr bool arms_whole_stage = [] {
    constexpr int fillers[] = {Phases::roles...};
    return fillers[0] == 1 && !pipeline_detail::any_array(Members{});
  }();

  /// The ring's shared memory.
  struct Storage {
    Stage stage[stages];
    isa::Mbarrier barrier[phases][stages];
  };

  /// Prepares the barriers. All threads of the CTA (of the cluster, if tiles are multicast) call it
  /// together, once for each Storage; it returns when all may use the ring.
  explicit WARPLINE_DEVICE Pipeline(Storage& storage, SourceLine where = SourceLine::current())
      : storage_(&storage) {
    isa::at_line(where);
    if (isa::thread_index() == 0) {
      for (int stage = 0; stage < stages; ++stage) {
        isa::name_region(&storage.stage[stage], sizeof(Stage), "stage", stage);
      }
      static_for<0, phases>([&](auto phase) {
        constexpr int arrivals_due = arrivals_of_barrier<decltype(phase)::value>;
        for (int stage = 0; stage < stages; ++stage) {
          isa::name_mbarrier(storage.barrier[phase][stage], barrier_name(phase), stage);
          isa::mbarrier_init(storage.barrier[phase][stage], arrivals_due, where);
        }
      });
      isa::fence_mbarrier_init(where);
    }
    if constexpr (Config.cluster.size() > 1) {
      isa::cluster_arrive(where);
      isa::cluster_wait(where);
    } else {
      isa::syncthreads(where);
    }
  }

  /// The endpoint of the role that fills.
  template <class Group>
  WARPLINE_DEVICE auto producer(const Group& group, SourceLine where = SourceLine::current()) {
    static_assert(phase_of<Group> >= 0,
                  "this role is in no phase of the pipeline: name it in Pipeline's phases");
    static_assert(phase_of<Group> <= 0,
                  "this role does not fill the pipeline: it has no producer end");
    return RingEnd<Pipeline, 0, Group>(*storage_, group, where);
  }

  /// The endpoint of a role of the last phase: it reads stages and frees them.
  template <class Group>
  WARPLINE_DEVICE auto consumer(const Group& group, SourceLine where = SourceLine::current()) {
    static_assert(phase_of<Group> >= 0,
                  "this role is in no phase of the pipeline: name it in Pipeline's phases");
    static_assert(phase_of<Group> < 0 || phase_of<Group> == phases - 1,
                  "this role is not in the pipeline's last phase: it has no consumer end");
    return RingEnd<Pipeline, phases - 1, Group>(*storage_, group, where);
  }

  /// The endpoint of a role of a middle phase: it reads and rewrites stages and passes them on.
  template <class Group>
  WARPLINE_DEVICE auto transformer(const Group& group, SourceLine where = SourceLine::current()) {
    static_assert(phase_of<Group> >= 0,
                  "this role is in no phase of the pipeline: name it in Pipeline's phases");
    static_assert(phase_of<Group> < 0 || (phase_of<Group> > 0 && phase_of<Group> < phases - 1),
                  "this role is not in a middle phase of the pipeline: it has no transformer end");
    return RingEnd<Pipeline, phase_of<Group>, Group>(*storage_, group, where);
  }

 private:
  template <int PhaseIndex>
  static constexpr int arrivals_of_barrier = arrival_count(PhaseIndex);

  template <class Group>
  static constexpr int phase_of = [] {
    constexpr bool includes[] = {Phases::template includes<typename Group::Role>...};
    for (int i = 0; i < phases; ++i) {
      if (includes[i]) {
        return i;
      }
    }
    return -1;
  }();

  Storage* storage_;
};

}  // namespace warpline::inline WARPLINE_TARGET
