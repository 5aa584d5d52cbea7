// One kernel header, compiled for both targets into one program. Its helper's class has a member
// more on the simulator, so that a merged function would give the wrong size on one of them.
#pragma once

#include "warpline/describe.h"
#include "warpline/pipeline.h"
#include "warpline/thread_group.h"

namespace user::inline WARPLINE_TARGET {

struct Record {
  int value = 0;
#if !WARPLINE_ON_GPU
  int witness[7] = {};
#endif
};

// Not inlined, so that the linker has something to merge.
__attribute__((noinline)) inline int record_bytes() { return static_cast<int>(sizeof(Record)); }

struct Kernel {
  struct Worker {
    static constexpr warpline::RoleConfig config{.name = "worker", .warps = 1};
  };
  using Roles = warpline::RoleList<Worker>;
  struct Arguments {
    int* answer;
  };
  struct SharedMemory {
    int unused[4];
  };
  static constexpr warpline::LaunchConfig launch{.name = "two_targets"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory&) const {
    warpline::dispatch<Roles>([&](const warpline::ThreadGroup<Roles, Worker>& group) {
      if (group.leader()) {
        warpline::isa::store_global(arguments.answer, static_cast<int>(sizeof(Record)));
      }
    });
  }
};

}  // namespace user::inline WARPLINE_TARGET
