// expect: a phase of a pipeline names each role once
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
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
using Readers = ReadByThreads<Reader>;
#else
using Readers = ReadByThreads<Reader, Reader>;
#endif
using Ring = Pipeline<Stage, PipelineConfig{.stages = 2}, FilledByCopies<Loader>, Readers>;

}  // namespace

int main() { return Ring::arrival_count(1) == 1 ? 0 : 1; }
