// What a fault of the catalogue is: a small kernel that breaks one rule, and its correct twin. The
// same source runs on the simulator, which must report it, and on the GPU, where NVIDIA's tools are
// tried on it.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <span>
#include <string>

#include "warpline/isa/annotate.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/mbarrier.h"
#include "warpline/isa/memory.h"
#include "warpline/launch.h"
#include "warpline/role.h"
#include "warpline/tensor_map.h"
#include "warpline/tile.h"

namespace warpline::tests::inline WARPLINE_TARGET {

/// What the simulator says of a fault. Lines are marked in the fault's source, by a comment
/// `// <- KEY` at their end.
struct Sighting {
  const char* rule = nullptr;
  const char* role = "";           ///< of who is caught
  const char* at = nullptr;        ///< key of its line; null: "caught: NAME"
  const char* other = nullptr;     ///< role of the other party; null: there is none
  const char* other_at = nullptr;  ///< null: "other: NAME"
};

struct FaultInfo {
  const char* name = "";
  Sighting seen = {};
  /// Where the schedule decides who of the two comes first: what is seen then.
  Sighting also_seen = {};
  /// ... or the same with the parties swapped.
  bool either_way = false;
  int stage = -1;
  /// Reported with simulator::Options::strict only.
  bool strict = false;
  /// Ends the simulation after so many steps; 0: never needed.
  std::uint64_t max_steps = 0;
  /// Why it is not tried on a GPU; null: it is.
  const char* not_on_gpu = nullptr;
  const char* file = "";
};

using FaultTileA = SharedTile<__half, 64, 16>;
using FaultTileB = SharedTile<__half, 8, 16>;

/// What every fault's kernel gets: 64 x 64 small whole numbers in fp16, and room for results.
struct FaultArguments {
  static constexpr int columns = 64;
  static constexpr int words = 64 * columns / 2;
  const int32_t* in;            ///< `words` of two elements each
  int32_t* out;                 ///< `words`
  uint32_t* flags;              ///< 16, zero
  TensorMap<FaultTileA> a;      ///< boxes of `in`
  TensorMap<FaultTileB> b;      ///< boxes of its first 8 rows
  TensorMap<FaultTileA> store;  ///< boxes of `out`
  int one;                      ///< 1, which the compiler must not know
};

template <int Warps>
struct Crew {
  static constexpr RoleConfig config{.name = "crew", .warps = Warps};
};

/// Defaults of a fault's kernel. It has a `FaultInfo info`, a struct `Shared`, and
///   template <bool Faulty> static WARPLINE_DEVICE void run(const FaultArguments&, Shared&).
template <int Warps>
struct FaultBody {
  using Roles = RoleList<Crew<Warps>>;
  static constexpr ClusterShape cluster = {};
  static constexpr unsigned ctas = 1;
  static constexpr int registers(bool /*faulty*/) { return 0; }
};

template <class Body, bool Faulty>
struct FaultKernel {
  using Roles = typename Body::Roles;
  using Arguments = FaultArguments;
  using SharedMemory = typename Body::Shared;
  static constexpr LaunchConfig launch{
      .name = Body::info.name, .registers = Body::registers(Faulty), .cluster = Body::cluster};
  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    Body::template run<Faulty>(args, shared);
  }
};

struct Fault {
  FaultInfo info;
  /// Launches the faulty kernel, or its twin.
  void (*run)(const Stream&, const FaultArguments&, bool faulty);
};

template <class Body>
void run_fault(const Stream& stream, const FaultArguments& arguments, bool faulty) {
  // What a GPU's compiler refuses must not even be instantiated there.
  if constexpr (on_gpu && Body::info.not_on_gpu != nullptr) {
    throw Error(std::string(Body::info.name) + " is not for a GPU: " + Body::info.not_on_gpu);
  } else if (faulty) {
    launch<FaultKernel<Body, true>>(stream, {Body::ctas, 1, 1}, arguments);
  } else {
    launch<FaultKernel<Body, false>>(stream, {Body::ctas, 1, 1}, arguments);
  }
}

template <class... Bodies>
std::span<const Fault> list_faults() {
  static const Fault faults[] = {{Bodies::info, run_fault<Bodies>}...};
  return faults;
}

/// Prepares a barrier and its name in reports, for threads and for the copy engine; a
/// synchronisation must follow.
WARPLINE_DEVICE void prepare(isa::Mbarrier& barrier, uint32_t arrivals, const char* name = "full",
                             int stage = 0, SourceLine where = SourceLine::current()) {
  isa::name_mbarrier(barrier, name, stage);
  isa::mbarrier_init(barrier, arrivals, where);
  isa::fence_mbarrier_init(where);
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
