// The instructions that the isa layer calls on the simulator's target. Pointers into shared memory
// are pointers into the running CTA's arena. Nothing here depends on the framework.
#pragma once

#include <cstdint>

#include "timeline/kind.h"

namespace warpline::simulator {

struct Index3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

// Special registers.
unsigned thread_index();
Index3 block_index();
Index3 grid_size();
unsigned cluster_cta_rank();
Index3 cluster_cta_index();
std::uint64_t clock_cycles();

// Shared memory, and ordinary accesses, each aligned as its type asks.
std::uint32_t shared_address(const void* place);
void shared_read(const void* place, unsigned bytes, unsigned alignment = 1);
void shared_write(void* place, unsigned bytes, unsigned alignment = 1);
void global_read(const void* place, unsigned bytes, unsigned alignment = 1);
void global_write(void* place, unsigned bytes, unsigned alignment = 1);

// Atomic accesses to global memory: begin, the access itself, end.
struct AtomicAccess {
  bool acquire = false;
  bool release = false;
  bool write = false;
  bool read = false;  ///< of a write: read-modify-write
};
void atomic_begin(const void* place, unsigned bytes, AtomicAccess access);
void atomic_end(const void* place, bool written);
/// For instructions of several accesses, each of which is checked by itself as well.
void check_atomic_alignment(const void* place, unsigned bytes);
/// Blocks until the flag is written atomically, unless it is at least `wanted` by now.
void await_change(const void* place, std::uint32_t wanted);

// mbarrier.
void mbarrier_init(void* barrier, unsigned arrivals);
void mbarrier_invalidate(void* barrier);
void mbarrier_arrive(void* barrier, unsigned count);
void mbarrier_arrive_remote(void* barrier, unsigned cta_rank);
void mbarrier_arrive_expect_tx(void* barrier, unsigned bytes);
void mbarrier_expect_tx(void* barrier, unsigned bytes);
bool mbarrier_test_wait(void* barrier, unsigned parity);
bool mbarrier_try_wait(void* barrier, unsigned parity);
void mbarrier_wait(void* barrier, unsigned parity);
void name_mbarrier(void* barrier, const char* name, int stage);

// Fences.
enum class Space { shared, global };
void fence_mbarrier_init();
void fence_proxy_async(Space space);
void wgmma_fence();

// Copy engine. A mask of 0 means this CTA only.
void tensor_load(void* shared, const void* words, const std::int32_t* coordinates, int rank,
                 void* barrier, unsigned cta_mask);
void tensor_store(const void* words, const std::int32_t* coordinates, int rank, const void* shared);
void bulk_load(void* shared, const void* global, unsigned bytes, void* barrier);
void bulk_store(void* global, const void* shared, unsigned bytes);
void bulk_send(void* shared_target, const void* shared, unsigned bytes, void* barrier,
               unsigned cta_rank);
void store_async(void* shared_target, const void* value, unsigned bytes, void* barrier,
                 unsigned cta_rank);
void bulk_commit_group();
void bulk_wait_group_read(unsigned pending);
void bulk_wait_group(unsigned pending);

// Tensor cores.
struct Wgmma {
  float* accumulators;
  const std::uint32_t* a_registers;  ///< null: A comes from shared memory
  std::uint64_t a_descriptor;
  std::uint64_t b_descriptor;
  int columns;
  bool bf16;
  bool a_mn_major;
  bool b_mn_major;
  bool negate_a;
  bool negate_b;
  bool accumulate;
};
void wgmma(const Wgmma& operands);
void accumulator_read(const float* place);
void wgmma_commit_group();
void wgmma_wait_group(unsigned pending);

// Barriers.
void syncthreads();
void named_barrier_sync(unsigned id, unsigned threads);
void named_barrier_arrive(unsigned id, unsigned threads);
void cluster_arrive();
void cluster_wait();

// Warps.
bool elect_one();
void syncwarp();
std::uint32_t shuffle(std::uint32_t value, std::uint32_t lane);
void stmatrix(void* row, const std::uint32_t* fragment, int matrices, bool transposed);
void ldmatrix(const void* row, std::uint32_t* fragment, int matrices);
void mma_sync(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], bool bf16);
void setmaxnreg(int registers, bool increase);

// What reports call things.
void at_line(const char* file, unsigned line);
void enter_role(const char* name);
[[noreturn]] void use_of_closed_slot(int stage);
[[noreturn]] void bad_slice(const char* rule);
void name_region(const void* begin, unsigned bytes, const char* name, int index);

// Records, if Options::recording is set: a span from `begin` until now. With `every_lane`, lane 0
// speaks for the warp. A negative stage: the barrier's, if it has one.
void trace_span(timeline::Kind kind, const char* name, int stage, std::uint64_t begin,
                std::uint32_t amount, const void* barrier, bool every_lane);
void trace_role(const char* name);

/// Lets other threads run.
void yield();

}  // namespace warpline::simulator
