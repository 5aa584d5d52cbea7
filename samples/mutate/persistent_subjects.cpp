// The kernels behind warpline::matmul, in configurations whose mutants take seconds: persistent and
// ping-pong, with clusters, K cut among them or within them, filled by threads, stored by the
// epilogue's steps; and the one for few rows.
#include <fmt/core.h>

#include "matmul/few_rows_entry.h"
#include "matmul/persistent_entry.h"
#include "subject.h"
#include "tests/kernels/matmul_task_case.h"

namespace sample {

namespace {

using warpline::FewRowsConfig;
using warpline::Fill;
using warpline::Leave;
using warpline::MatmulLine;
using warpline::PersistentConfig;
using warpline::simulator::Change;
using warpline::simulator::Instruction;
using warpline::simulator::Mutant;
using warpline::simulator::MutationSite;
using warpline::simulator::Occurrence;
using warpline::tests::TaskShape;

/// Split K's accesses to its counters are stronger than they must be, and sums that come from the
/// peers of a cluster are no loads of stages.
std::string why_equivalent(const MutationSite& site, const Mutant& mutant) {
  if (site.file.ends_with("cluster_split.h") && site.instruction == Instruction::wgmma_wait_group &&
      mutant.change == Change::remove && mutant.occurrence == Occurrence::last) {
    return "after a thread's last k tile only the peers' sums come into the CTA's memory, to "
           "places "
           "of their own, and the wait before they are read covers the multiply";
  }
  if (site.file.ends_with("few_rows_held.h")) {
    if (site.instruction == Instruction::syncthreads ||
        site.instruction == Instruction::fence_mbarrier_init) {
      return "the ring's constructor, which follows, is a fence of the same thread and a meeting "
             "of all, too";
    }
    if (site.instruction == Instruction::syncwarp && site.role == "consumer") {
      return "the stage is filled once: nothing comes over what lanes may still read";
    }
  }
  if (!site.file.ends_with("partial_sums.h") || site.instruction != Instruction::atomic_access) {
    return {};
  }
  if (site.barrier == "acq_rel" && mutant.change == Change::no_acquire) {
    return "who leaves sums reads none of the others'; who gathers learns of all by the chain of "
           "additions";
  }
  if (site.barrier == "release" && mutant.change == Change::no_release) {
    return "the counter is set back for the next launch, before which all of this one is over";
  }
  return {};
}

Subject subject_of_line(const char* name, const MatmulLine& line, const TaskShape& shape) {
  return {
      fmt::format("{}/{}x{}x{}/{}", name, line.block_m, line.block_n, line.block_k, line.stages),
      [line, shape](const warpline::simulator::Options& options) {
        // A new one each time: a mutant may leave the workspace's counters as it likes.
        warpline::tests::TaskCase problem(line, shape, 1);
        problem.run(options);
        return problem.error().empty() && problem.workspace_is_clean();
      },
      why_equivalent};
}

template <PersistentConfig Config, Leave Way = Leave::copies>
Subject subject_of(const char* name, const TaskShape& shape) {
  return subject_of_line(name, warpline::PersistentLine<__half, Config, Way>::line(name), shape);
}

template <FewRowsConfig Config>
Subject subject_of_few_rows(const char* name, const TaskShape& shape) {
  return subject_of_line(name, warpline::FewRowsLine<__half, Config>::line(name), shape);
}

/// Two consumer warpgroups of 64 rows, two stages.
constexpr PersistentConfig small{.block_n = 32, .block_k = 16, .stages = 2};

constexpr PersistentConfig clustered(PersistentConfig config) {
  config.cluster_m = 2;
  return config;
}

/// One consumer warpgroup, and `ctas` CTAs that share K.
constexpr PersistentConfig sharing_k(int ctas) {
  return {
      .block_m = 64, .block_n = 16, .block_k = 16, .stages = 2, .warpgroups = 1, .cluster_k = ctas};
}

constexpr PersistentConfig in_turns(PersistentConfig config) {
  config.block_m = 64;
  config.ping_pong = true;
  return config;
}

}  // namespace

std::vector<Subject> persistent_subjects() {
  // Tiles and k tiles hang over. A CTA fills its stages four times and more, and each buffer of a
  // store ring twice.
  constexpr TaskShape four_tiles{.m = 136, .n = 40, .k = 45, .max_ctas = 1};
  constexpr TaskShape short_tiles{.m = 72, .n = 72, .k = 45, .max_ctas = 1};
  return {
      subject_of<small>("persistent", four_tiles),
      subject_of<small, Leave::copies_transposed>("persistent.transposed", four_tiles),
      subject_of<small, Leave::threads>("persistent.steps", four_tiles),
      // Seven tiles for four CTAs: a whole one each, and two parts of the others, so that one CTA
      // leaves sums twice and another one gathers twice.
      subject_of<small>("persistent.split_k", {.m = 840, .n = 24, .k = 61, .splits = 2}),
      // The same in four parts: one CTA makes zero, three add, and the fourth reads the sum.
      subject_of<small>("persistent.any_order",
                        {.m = 840, .n = 24, .k = 125, .splits = 4, .any_order = true}),
      // Eleven tiles: two whole ones each, and k tiles of the last three in equal runs, so that two
      // CTAs end one tile and begin another.
      subject_of<small>("persistent.stream_k",
                        {.m = 1352, .n = 24, .k = 61, .splits = warpline::stream_k}),
      // Five tiles for two clusters: two whole ones each, and half of the fifth.
      subject_of<clustered(small)>("persistent.cluster_split_k",
                                   {.m = 136, .n = 136, .k = 61, .splits = 2}),
      // Three tiles, of each of which every CTA has six or seven k tiles.
      subject_of<sharing_k(2)>("persistent.cluster_sums",
                               {.m = 136, .n = 16, .k = 205, .max_ctas = 2}),
      // Of the four CTAs two have a share of the sums.
      subject_of<sharing_k(4), Leave::copies_transposed>(
          "persistent.cluster_sums_of_4", {.m = 136, .n = 12, .k = 413, .max_ctas = 4}),
      subject_of<in_turns(small)>("ping_pong", short_tiles),
      // 13 tiles for two clusters: six whole ones each, and half of the last.
      subject_of<in_turns(clustered(small))>("ping_pong.cluster_split_k",
                                             {.m = 72, .n = 392, .k = 45, .splits = 2}),
      subject_of<PersistentConfig{.block_n = 128, .stages = 2, .fill = Fill::threads},
                 Leave::threads>("persistent.by_threads",
                                 {.m = 40, .n = 136, .k = 150, .max_ctas = 1}),
      subject_of<
          PersistentConfig{
              .block_m = 64, .block_n = 64, .stages = 2, .warpgroups = 1, .fill = Fill::threads},
          Leave::threads>("persistent.by_threads", {.m = 40, .n = 72, .k = 300, .max_ctas = 1}),
      // Three groups of B's rows, of three stages each, the last of both hanging over.
      subject_of_few_rows<FewRowsConfig{.run = 128, .stages = 2, .held = 1024, .warps = 2}>(
          "few_rows", {.m = 2, .n = 20, .k = 344, .max_ctas = 1})};
}

}  // namespace sample
