#include "tests/differential/tile_unit.h"

namespace warpline::tests::inline WARPLINE_TARGET {
template std::vector<TileResult> run_tiles<__half, isa::Major::mn>(uint64_t seed);
}  // namespace warpline::tests::inline WARPLINE_TARGET
