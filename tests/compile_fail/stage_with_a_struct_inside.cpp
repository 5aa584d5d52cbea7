// expect: a Stage consists of SharedTile, Multicast and SharedArray members only
// The bytes of a stage are counted by its members' types: a tile inside another struct would be
// missed, and the full barrier would complete too early.
#include "warpline/pipeline.h"

namespace {

using namespace warpline;  // NOLINT(google-build-using-namespace): a test

using Tile = SharedTile<__half, 64, 64>;
struct Pair {
  Tile a;
  Tile b;
};
struct Stage {
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
  Tile a;
  Tile b;
#else
  Pair pair;
#endif
  Tile c;
};
struct Loader {
  static constexpr RoleConfig config{.name = "loader", .warps = 1};
};
struct Reader {
  static constexpr RoleConfig config{.name = "reader", .warps = 1};
};
using Ring =
    Pipeline<Stage, PipelineConfig{.stages = 2}, FilledByCopies<Loader>, ReadByThreads<Reader>>;

}  // namespace

int main() { return Ring::tile_bytes == 3 * Tile::bytes ? 0 : 1; }
