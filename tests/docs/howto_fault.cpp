// The faulty kernel of docs/howto-kernel.md, and the report that it quotes.
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/docs/howto_kernel.h"
#include "tests/support/catch.h"

namespace example {
namespace {

struct Forgetful : ScaledAdd {
  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Loader>& group) {
          auto end = ring.producer(group);
          // [fault]
          for (auto slot : end.fill(1)) {
            slot.load(slot->x, args.x, {.row = 0, .column = 0});
            // forgotten: slot.load(slot->y, args.y, ...)
          }
          // [fault]
        },
        [&](const ThreadGroup<Roles, Worker>& group) {
          auto end = ring.consumer(group);
          for (auto slot : end.read(1)) {
            slot.release();
          }
        });
  }
};

/// Line numbers and the folder of the checkout are not what the page is about.
std::string without_places(const std::string& text) {
  return std::regex_replace(text, std::regex("[^ ]*(tests/docs/[a-z_.]+):[0-9]+"), "$1");
}

TEST_CASE("a forgotten load deadlocks, and docs/howto-kernel.md quotes the report") {
  std::vector<float> data(64 * 32);
  const MatrixView<float> view{data.data(), 64, 32, 32};
  std::string report;
  const auto map = make_tensor_map<ScaledAdd::Tile>(view, "x");
  try {
    launch<Forgetful>(Stream{.options = {.seed = 7}}, {1, 1, 1},
                      {.x = map, .y = map, .alpha = 1, .row_tiles = 1, .column_tiles = 1});
  } catch (const simulator::SimulationFault& fault) {
    CHECK(fault.report.kind == simulator::FaultKind::transaction_mismatch);
    report = fault.what();
  }
  std::ifstream page(WARPLINE_TESTS_FOLDER "/../docs/howto-kernel.md");
  std::ostringstream text;
  text << page.rdbuf();
  INFO(report);
  CHECK(without_places(text.str()).find(without_places(report)) != std::string::npos);
}

}  // namespace
}  // namespace example
