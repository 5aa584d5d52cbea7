// expect: FitsSharedMemory<232449, 232448>|FitsSharedMemory<23\d+, 232448>
//
#include <cuda_fp16.h>

#include "warpline/launch.h"
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
struct Refused {
  using Roles = RoleList<Producer>;
  struct Arguments {};
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
  struct SharedMemory {
    char bytes[232448];
  };
#else
  struct SharedMemory {
    char bytes[232449];
  };
#endif
  static constexpr LaunchConfig launch{.name = "refused"};

  WARPLINE_DEVICE void operator()(const Arguments&, SharedMemory&) const {}
};

inline void run(const Stream& stream) { launch<Refused>(stream, {2, 1, 1}, {}); }

}  // namespace warpline::inline WARPLINE_TARGET
