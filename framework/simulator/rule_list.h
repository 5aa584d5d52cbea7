// Every rule by name. Internal: who breaks one is reported with it.
#pragma once

#include "simulator/rules.h"

namespace warpline::simulator::rules {

inline constexpr Rule deadlock{
    .name = "deadlock",
    .kind = FaultKind::deadlock,
    .basis = Basis::judgement,
    .source = "a GPU would hang",
    .text = "some thread, copy or multiply can go on, or all have ended",
    .cure = "who waits in vain is listed; compare who arrives with who is expected"};
inline constexpr Rule no_progress{.name = "no-progress",
                                  .kind = FaultKind::no_progress,
                                  .basis = Basis::judgement,
                                  .source = "a GPU would hang",
                                  .text = "the simulation ends within max_steps"};
inline constexpr Rule half_phase_at_exit{
    .name = "half-phase-at-exit",
    .kind = FaultKind::leak,
    .basis = Basis::judgement,
    .source = "a signal that nobody can use",
    .text = "a CTA leaves no barrier in the middle of a phase"};
inline constexpr Rule undrained_signal{
    .name = "undrained-signal",
    .kind = FaultKind::leak,
    .basis = Basis::judgement,
    .source = "it is how a missing drain shows",
    .text = "some thread has waited for the last phase of every barrier when the CTA leaves"};
inline constexpr Rule shared_bounds{
    .name = "shared-bounds",
    .kind = FaultKind::out_of_bounds,
    .basis = Basis::ptx,
    .source = "Shared State Space",
    .text = "barriers, accesses, copies and operands lie within the CTA's shared memory",
    .cure = "keep sizes and indices within SharedMemory's members"};
inline constexpr Rule stage_bounds{.name = "stage-bounds",
                                   .kind = FaultKind::out_of_bounds,
                                   .basis = Basis::judgement,
                                   .source = "a copy that spills into the next stage",
                                   .text = "a copy that starts in a stage stays in it",
                                   .cure = "load into a member of the stage, of its size"};
inline constexpr Rule cluster_bounds{.name = "cluster-bounds",
                                     .kind = FaultKind::out_of_bounds,
                                     .basis = Basis::ptx,
                                     .source = "mapa",
                                     .text = "a CTA rank is in the cluster",
                                     .cure = "ranks are 0 to the cluster's size less one"};
inline constexpr Rule matrix_row_alignment{
    .name = "matrix-row-alignment",
    .kind = FaultKind::out_of_bounds,
    .basis = Basis::ptx,
    .source = "stmatrix, ldmatrix",
    .text = "rows of stmatrix and ldmatrix are on 16 bytes",
    .cure = "take a tile's chunk(row, column): rows of 16 bytes, on 16 bytes"};
inline constexpr Rule shuffle_lane{.name = "shuffle-lane",
                                   .kind = FaultKind::out_of_bounds,
                                   .basis = Basis::judgement,
                                   .source = "PTX takes the low bits",
                                   .text = "a shuffle names lanes 0 to 31",
                                   .cure = "take the lane modulo 32"};
inline constexpr Rule atomic_alignment{.name = "atomic-alignment",
                                       .kind = FaultKind::out_of_bounds,
                                       .basis = Basis::ptx,
                                       .source = "atom, ld, st: Addresses as Operands",
                                       .text = "atomic accesses are aligned to their size",
                                       .cure = "align the flag or sum as its type asks"};
inline constexpr Rule access_alignment{
    .name = "access-alignment",
    .kind = FaultKind::out_of_bounds,
    .basis = Basis::ptx,
    .source = "ld, st: Addresses as Operands",
    .text = "ordinary accesses are aligned as their type is",
    .cure = "check base, stride and first element, or access elements one by one"};
inline constexpr Rule uninitialised_read{
    .name = "uninitialised-read",
    .kind = FaultKind::uninitialised_read,
    .basis = Basis::judgement,
    .source = "PTX gives any value",
    .text = "nobody reads shared memory that was never written"};
inline constexpr Rule data_race{
    .name = "data-race",
    .kind = FaultKind::data_race,
    .basis = Basis::ptx,
    .source = "Memory Consistency Model: Causality Order",
    .text = "of two ordinary accesses to the same bytes, one a write, one happens before the other",
    .cure = "a barrier or a hand-over is due between the two"};
inline constexpr Rule cluster_race{.name = "cluster-race",
                                   .kind = FaultKind::data_race,
                                   .basis = Basis::ptx,
                                   .source = "Memory Consistency Model: Causality Order",
                                   .text =
                                       "data that one cluster writes and another accesses are "
                                       "handed over by a release and an acquire"};
inline constexpr Rule copy_not_awaited{
    .name = "copy-not-awaited",
    .kind = FaultKind::copy_race,
    .basis = Basis::ptx,
    .source = "Async operations: Completion Mechanisms",
    .text = "what a load writes is accessed only after a wait for its barrier's phase"};
inline constexpr Rule overwritten_by_load{
    .name = "overwritten-by-load",
    .kind = FaultKind::copy_race,
    .basis = Basis::ptx,
    .source = "Memory Consistency Model: Causality Order",
    .text = "a load rewrites bytes only after the accesses before it: it waits for empty"};
inline constexpr Rule store_buffer_rewritten{
    .name = "store-buffer-rewritten",
    .kind = FaultKind::store_race,
    .basis = Basis::ptx,
    .source = "cp.async.bulk.wait_group",
    .text = "what a store reads is rewritten only after the wait for its read"};
inline constexpr Rule store_not_complete{
    .name = "store-not-complete",
    .kind = FaultKind::store_race,
    .basis = Basis::ptx,
    .source = "cp.async.bulk.wait_group",
    .text =
        "what a store writes is accessed only after the wait for its completion; the wait for its "
        "read is not enough"};
inline constexpr Rule stored_too_early{
    .name = "stored-too-early",
    .kind = FaultKind::store_race,
    .basis = Basis::ptx,
    .source = "Memory Consistency Model: Causality Order",
    .text = "a store reads bytes, and writes bytes, only after the accesses before it"};
inline constexpr Rule stage_in_multiply{
    .name = "stage-in-multiply",
    .kind = FaultKind::wgmma_race,
    .basis = Basis::ptx,
    .source = "wgmma.wait_group",
    .text = "what a multiply reads is rewritten only after a wait that covers the multiply"};
inline constexpr Rule release_for_warpgroup{
    .name = "release-for-warpgroup",
    .kind = FaultKind::wgmma_race,
    .basis = Basis::practice,
    .source = "wgmma.wait_group: PTX asks for the wait of all four warps",
    .text = "one arrival after a multiply speaks for its own warp only",
    .strict_only = true};
inline constexpr Rule multiply_too_early{
    .name = "multiply-too-early",
    .kind = FaultKind::wgmma_race,
    .basis = Basis::ptx,
    .source = "Memory Consistency Model: Causality Order",
    .text = "a multiply reads bytes only after the accesses that wrote them"};
inline constexpr Rule accumulator_in_flight{
    .name = "accumulator-in-flight",
    .kind = FaultKind::wgmma_race,
    .basis = Basis::ptx,
    .source = "wgmma.mma_async",
    .text = "accumulators are neither read nor written between issue and wait"};
inline constexpr Rule operand_register_in_flight{
    .name = "operand-register-in-flight",
    .kind = FaultKind::wgmma_race,
    .basis = Basis::ptx,
    .source = "wgmma.mma_async",
    .text = "A registers are not written between issue and wait"};
inline constexpr Rule proxy_fence_after_write{
    .name = "proxy-fence-after-write",
    .kind = FaultKind::proxy_fence_missing,
    .basis = Basis::cuda,
    .source =
        "Asynchronous Data Copies using TMA: who writes fences, then synchronises; by the letter "
        "of "
        "PTX (Memory Consistency Model: Proxies) a later thread's fence would do",
    .text =
        "an ordinary write is followed by a proxy fence of its thread and a synchronisation before "
        "a copy or multiply accesses the bytes"};
inline constexpr Rule proxy_fence_after_read{
    .name = "proxy-fence-after-read",
    .kind = FaultKind::proxy_fence_missing,
    .basis = Basis::ptx,
    .source =
        "Memory Consistency Model: Proxies, but a later thread's fence would do; vendor libraries "
        "do without",
    .text =
        "an ordinary read is followed by a proxy fence of its thread and a synchronisation before "
        "a copy rewrites the bytes"};
inline constexpr Rule barrier_init_fence{
    .name = "barrier-init-fence",
    .kind = FaultKind::mbarrier_fence_missing,
    .basis = Basis::practice,
    .source = "fence.mbarrier_init: the copy engine must see the initialisation",
    .text =
        "fence.mbarrier_init comes between the initialisation and a copy that counts on the "
        "barrier"};
inline constexpr Rule cluster_init_fence{
    .name = "cluster-init-fence",
    .kind = FaultKind::mbarrier_fence_missing,
    .basis = Basis::ptx,
    .source = "fence.mbarrier_init; for barriers that stay local: judgement",
    .text = "fence.mbarrier_init comes before the cluster's barrier, in a cluster of several CTAs"};
inline constexpr Rule barrier_alignment{.name = "barrier-alignment",
                                        .kind = FaultKind::mbarrier_misuse,
                                        .basis = Basis::ptx,
                                        .source = "Size and alignment of mbarrier object",
                                        .text = "a barrier is on 8 bytes",
                                        .cure = "make it an isa::Mbarrier, which is aligned"};
inline constexpr Rule barrier_not_initialised{.name = "barrier-not-initialised",
                                              .kind = FaultKind::mbarrier_misuse,
                                              .basis = Basis::ptx,
                                              .source = "mbarrier.init, mbarrier.inval",
                                              .text = "a barrier is initialised when it is used"};
inline constexpr Rule barrier_initialised_twice{
    .name = "barrier-initialised-twice",
    .kind = FaultKind::mbarrier_misuse,
    .basis = Basis::ptx,
    .source = "mbarrier.init",
    .text = "a barrier in use is not initialised again"};
inline constexpr Rule barrier_overwritten{.name = "barrier-overwritten",
                                          .kind = FaultKind::mbarrier_misuse,
                                          .basis = Basis::ptx,
                                          .source = "mbarrier.init",
                                          .text = "a barrier in use is not written by other means",
                                          .cure = "invalidate the barrier first"};
inline constexpr Rule barrier_invalidated_in_use{
    .name = "barrier-invalidated-in-use",
    .kind = FaultKind::mbarrier_misuse,
    .basis = Basis::ptx,
    .source = "mbarrier.inval",
    .text = "nobody waits on a barrier when it is invalidated"};
inline constexpr Rule barrier_init_race{
    .name = "barrier-init-race",
    .kind = FaultKind::mbarrier_misuse,
    .basis = Basis::ptx,
    .source = "Memory Consistency Model: Causality Order",
    .text = "others use a barrier only after they have synchronised with its initialiser"};
inline constexpr Rule barrier_count_range{.name = "barrier-count-range",
                                          .kind = FaultKind::mbarrier_misuse,
                                          .basis = Basis::ptx,
                                          .source = "Contents of the mbarrier object",
                                          .text = "an arrival count is 1 to 2^20 - 1",
                                          .cure = "count those who arrive; a Pipeline does"};
inline constexpr Rule transaction_range{.name = "transaction-range",
                                        .kind = FaultKind::mbarrier_misuse,
                                        .basis = Basis::ptx,
                                        .source = "Contents of the mbarrier object",
                                        .text = "announced bytes are at most 2^20 - 1",
                                        .cure = "load less in one phase"};
inline constexpr Rule too_many_arrivals{
    .name = "too-many-arrivals",
    .kind = FaultKind::mbarrier_misuse,
    .basis = Basis::ptx,
    .source = "Contents of the mbarrier object",
    .text = "no more arrivals come in a phase than are pending"};
inline constexpr Rule parity_range{.name = "parity-range",
                                   .kind = FaultKind::mbarrier_misuse,
                                   .basis = Basis::ptx,
                                   .source = "mbarrier.test_wait, mbarrier.try_wait",
                                   .text = "a parity is 0 or 1"};
inline constexpr Rule lapped_wait{.name = "lapped-wait",
                                  .kind = FaultKind::mbarrier_misuse,
                                  .basis = Basis::judgement,
                                  .source = "with parity, it cannot know what it has missed",
                                  .text = "a waiter is at most one phase behind",
                                  .cure = "wait once for each phase"};
inline constexpr Rule copy_without_barrier{.name = "copy-without-barrier",
                                           .kind = FaultKind::mbarrier_misuse,
                                           .basis = Basis::ptx,
                                           .source = "cp.async.bulk",
                                           .text = "a copy counts its bytes on a barrier"};
inline constexpr Rule closed_slot{.name = "closed-slot",
                                  .kind = FaultKind::mbarrier_misuse,
                                  .basis = Basis::judgement,
                                  .source = "the stage may belong to somebody else by then",
                                  .text = "a slot is used only until it is handed on"};
inline constexpr Rule remote_arrival_scope{
    .name = "remote-arrival-scope",
    .kind = FaultKind::mbarrier_misuse,
    .basis = Basis::practice,
    .source = "mbarrier.arrive: its scope is the CTA unless .cluster is asked for",
    .text = "an arrival on a barrier of another CTA has cluster scope",
    .strict_only = true};
inline constexpr Rule bytes_not_announced{
    .name = "bytes-not-announced",
    .kind = FaultKind::transaction_mismatch,
    .basis = Basis::judgement,
    .source = "a later expect_tx could make up for it",
    .text = "delivered bytes do not exceed the announced ones when all arrivals have come",
    .cure = "announce what is loaded"};
inline constexpr Rule bytes_not_delivered{.name = "bytes-not-delivered",
                                          .kind = FaultKind::transaction_mismatch,
                                          .basis = Basis::judgement,
                                          .source = "the phase can never complete",
                                          .text = "announced bytes are delivered"};
inline constexpr Rule warpgroup_alignment{
    .name = "warpgroup-alignment",
    .kind = FaultKind::wgmma_misuse,
    .basis = Basis::ptx,
    .source = "Asynchronous Warpgroup Level Matrix Instructions",
    .text = "wgmma is issued by four warps that start at a multiple of four",
    .cure = "multiply in a role of whole warpgroups (RoleConfig::multiplies)"};
inline constexpr Rule wgmma_fence_missing{
    .name = "wgmma-fence-missing",
    .kind = FaultKind::wgmma_misuse,
    .basis = Basis::ptx,
    .source = "wgmma.fence",
    .text = "wgmma.fence precedes the first wgmma on registers that were accessible"};
inline constexpr Rule accumulator_shape{
    .name = "accumulator-shape",
    .kind = FaultKind::wgmma_misuse,
    .basis = Basis::ptx,
    .source = "wgmma.fence",
    .text = "multiplies in flight on one accumulator have one shape"};
inline constexpr Rule operand_swizzle{
    .name = "operand-swizzle",
    .kind = FaultKind::wgmma_misuse,
    .basis = Basis::judgement,
    .source = "the result would be permuted",
    .text = "an operand is read with the swizzle that the copy engine wrote it with"};
inline constexpr Rule operand_outside_stage{
    .name = "operand-outside-stage",
    .kind = FaultKind::wgmma_misuse,
    .basis = Basis::judgement,
    .source = "a descriptor's offsets are wrong",
    .text = "an operand that starts in a stage stays in it",
    .cure = "multiply tiles (mma): their descriptors follow from their types"};
inline constexpr Rule operand_slice{
    .name = "operand-slice",
    .kind = FaultKind::wgmma_misuse,
    .basis = Basis::ptx,
    .source = "Matrix Descriptor Format: base offset",
    .text = "a slice of an operand starts where its swizzle repeats",
    .cure = "slice tiles at multiples of 8 rows"};
inline constexpr Rule lanes_disagree{
    .name = "lanes-disagree",
    .kind = FaultKind::warp_disagreement,
    .basis = Basis::ptx,
    .source = "shfl.sync, bar.warp.sync, stmatrix",
    .text = "the lanes of a warp meet at one collective instruction"};
inline constexpr Rule warpgroup_disagrees{.name = "warpgroup-disagrees",
                                          .kind = FaultKind::warp_disagreement,
                                          .basis = Basis::ptx,
                                          .source = "wgmma.mma_async",
                                          .text = "the threads of a warpgroup issue the same wgmma",
                                          .cure = "all 128 threads multiply the same operands"};
inline constexpr Rule warpgroup_not_converged{
    .name = "warpgroup-not-converged",
    .kind = FaultKind::warp_disagreement,
    .basis = Basis::ptx,
    .source = "wgmma.mma_async: all threads of the warpgroup execute it",
    .text = "all four warps come to a wgmma that one of them waits for"};
inline constexpr Rule named_barrier_number{
    .name = "named-barrier-number",
    .kind = FaultKind::named_barrier_misuse,
    .basis = Basis::ptx,
    .source = "barrier",
    .text = "barriers are numbered 0 to 15",
    .cure = "use 0 to 15; group.sync() has a number of its own"};
inline constexpr Rule named_barrier_count{
    .name = "named-barrier-count",
    .kind = FaultKind::named_barrier_misuse,
    .basis = Basis::ptx,
    .source = "barrier",
    .text = "counts are multiples of 32, and the same for all who meet",
    .cure = "give the number of threads that come, whole warps, the same everywhere"};
inline constexpr Rule named_barrier_shared{
    .name = "named-barrier-shared",
    .kind = FaultKind::named_barrier_misuse,
    .basis = Basis::judgement,
    .source = "two groups that meet at one number mix their arrivals",
    .text = "warps that meet at a named barrier are the same each time while it is in use"};
inline constexpr Rule cluster_barrier_turns{
    .name = "cluster-barrier-turns",
    .kind = FaultKind::named_barrier_misuse,
    .basis = Basis::ptx,
    .source = "barrier.cluster",
    .text = "cluster arrive and wait alternate",
    .cure = "one cluster_wait() follows each cluster_arrive()"};
inline constexpr Rule register_count{
    .name = "register-count",
    .kind = FaultKind::register_pool,
    .basis = Basis::ptx,
    .source = "setmaxnreg",
    .text = "counts are multiples of 8 in 24..256; inc does not lower, dec does not raise",
    .cure = "decrease to fewer, increase to more; multiples of 8 in 24..256"};
inline constexpr Rule registers_not_granted{
    .name = "registers-not-granted",
    .kind = FaultKind::register_pool,
    .basis = Basis::ptx,
    .source = "setmaxnreg: inc blocks until the pool has enough",
    .text =
        "the CTA's pool has what setmaxnreg.inc asks for, once other warps have given back theirs",
    .cure = "let the roles' warps x registers add up to what the CTA was launched with"};
inline constexpr Rule register_launch{
    .name = "register-launch",
    .kind = FaultKind::register_pool,
    .basis = Basis::judgement,
    .source = "the pool cannot be modelled otherwise",
    .text = "the launch registers are known where setmaxnreg is used",
    .cure = "set LaunchConfig::registers to what nvcc reports"};
inline constexpr Rule copy_alignment{
    .name = "copy-alignment",
    .kind = FaultKind::copy_misuse,
    .basis = Basis::ptx,
    .source = "cp.async.bulk.tensor, cp.async.bulk",
    .text =
        "shared addresses of tiled copies are on 128 bytes, of bulk copies on 16; bulk sizes and "
        "global addresses are multiples of 16",
    .cure =
        "align the place (SharedTile and SharedArray are aligned) and load multiples of 16 bytes"};
inline constexpr Rule coordinate_alignment{
    .name = "coordinate-alignment",
    .kind = FaultKind::copy_misuse,
    .basis = Basis::hardware,
    .source = "an illegal instruction otherwise",
    .text = "the innermost coordinate falls on 16 bytes",
    .cure = "start at a multiple of 16 bytes, or load with ordinary instructions"};
inline constexpr Rule store_coordinate{.name = "store-coordinate",
                                       .kind = FaultKind::copy_misuse,
                                       .basis = Basis::hardware,
                                       .source = "an illegal instruction otherwise",
                                       .text = "no coordinate of a tiled store is negative",
                                       .cure = "store from the tensor's first row and column on"};
inline constexpr Rule store_needs_cluster{
    .name = "store-needs-cluster",
    .kind = FaultKind::copy_misuse,
    .basis = Basis::hardware,
    .source = "an illegal instruction otherwise",
    .text = "st.async is executed by kernels that were launched with a cluster",
    .cure = "where there may be one CTA, let it store into its own memory and arrive itself"};
inline constexpr Rule tensor_map{
    .name = "tensor-map",
    .kind = FaultKind::copy_misuse,
    .basis = Basis::ptx,
    .source = "cp.async.bulk.tensor",
    .text = "the map is a tensor map, of as many dimensions as there are coordinates",
    .cure = "make it with make_tensor_map, and pass it in the kernel's Arguments"};
inline constexpr Rule copy_at_exit{.name = "copy-at-exit",
                                   .kind = FaultKind::exited_cta,
                                   .basis = Basis::ptx,
                                   .source = "Shared State Space: its memory ends with the CTA",
                                   .text =
                                       "a CTA does not leave while a load into it, a store's read "
                                       "of it, or a multiply is under way"};
inline constexpr Rule access_after_exit{
    .name = "access-after-exit",
    .kind = FaultKind::exited_cta,
    .basis = Basis::ptx,
    .source = "Shared State Space; CUDA, Distributed Shared Memory",
    .text = "no arrival, multicast or bulk copy goes to a CTA that has left"};

}  // namespace warpline::simulator::rules
