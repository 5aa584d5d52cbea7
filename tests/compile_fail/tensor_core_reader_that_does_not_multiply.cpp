// expect: a role that reads by tensor cores multiplies: set RoleConfig::multiplies
#include "warpline/pipeline.h"

namespace {

using namespace warpline;  // NOLINT(google-build-using-namespace): a test

struct Stage {
  SharedTile<__half, 64, 64> a;
};
struct Loader {
  static constexpr RoleConfig config{.name = "loader", .warps = 1};
};
struct Reader {
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
  static constexpr RoleConfig config{.name = "reader", .warps = 4, .multiplies = true};
#else
  static constexpr RoleConfig config{.name = "reader", .warps = 4};
#endif
};
using Ring =
    Pipeline<Stage, PipelineConfig{.stages = 2}, FilledByCopies<Loader>, ReadByTensorCores<Reader>>;

}  // namespace

int main() { return Ring::arrival_count(1) == 4 ? 0 : 1; }
