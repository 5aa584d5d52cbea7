// Bulk groups: how a thread learns that its stores by the copy engine are done (PTX ISA,
// "cp.async.bulk. commit_group" and "wait_group").
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// Closes a group over this thread's stores since the last commit.
WARPLINE_DEVICE void bulk_commit_group(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#else
  simulator::bulk_commit_group();
#endif
}

/// Waits until all but the latest `Pending` groups have READ their shared memory: it may be written
/// again. The global memory is not yet written.
template <int Pending>
WARPLINE_DEVICE void bulk_wait_group_read(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
#else
  simulator::bulk_wait_group_read(Pending);
#endif
}

/// Waits until all but the latest `Pending` groups are complete: their global memory is written.
template <int Pending>
WARPLINE_DEVICE void bulk_wait_group(SourceLine where = SourceLine::current()) {
  at_line(where);
#if WARPLINE_ON_GPU
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
#else
  simulator::bulk_wait_group(Pending);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
