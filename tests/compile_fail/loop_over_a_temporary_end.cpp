// expect: no matching function for call to .*RingEnd
// An end made within the loop's range would be gone before the loop starts (C++20).
#include "warpline/pipeline.h"

namespace {

using namespace warpline;  // NOLINT(google-build-using-namespace): a test

struct Stage {
  SharedArray<float, 64> values;
};
struct Loader {
  static constexpr RoleConfig config{.name = "loader", .warps = 1};
};
struct Reader {
  static constexpr RoleConfig config{.name = "reader", .warps = 1};
};
using Roles = RoleList<Loader, Reader>;
using Ring =
    Pipeline<Stage, PipelineConfig{.stages = 2}, FilledByCopies<Loader>, ReadByThreads<Reader>>;

}  // namespace

void read_all(Ring& ring, const ThreadGroup<Roles, Reader>& group) {
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
  auto end = ring.consumer(group);
  for (auto slot : end.read(3)) {
    slot.release();
  }
#else
  for (auto slot : ring.consumer(group).read(3)) {
    slot.release();
  }
#endif
}

int main() { return 0; }
