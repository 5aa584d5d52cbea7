// Case C19: every swizzle x major x type x depth of a tile, and its slices of rows, multiplied by
// the identity.
#include "tests/differential/tile_probe.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

template <class T, isa::Major M>
void check_tiles(Results& results, uint64_t seed) {
  for (const TileResult& result : run_tiles<T, M>(seed)) {
    INFO(result.name);
    CHECK(first_difference(result.found, result.expected) == "");
    CHECK(results.difference(result.name, result.found) == "");
  }
}

TEST_CASE("differential: tiles multiplied by the identity (case C19)") {
  Results results("tiles", on_gpu);
  check_tiles<__half, isa::Major::k>(results, 0);
  check_tiles<__half, isa::Major::mn>(results, 1);
  check_tiles<__nv_bfloat16, isa::Major::k>(results, 2);
  check_tiles<__nv_bfloat16, isa::Major::mn>(results, 3);
  CHECK(results.forgotten() == "");
  if (!results.recorded()) {
    SKIP("no recorded results");
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
