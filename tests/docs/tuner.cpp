// The example of docs/tuner.md: the blocks of a transpose on the CPU.
#include <algorithm>
#include <array>
#include <boost/hana/adapt_struct.hpp>
#include <chrono>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tuner/cache.h"
#include "tuner/choose.h"
#include "tuner/race.h"
#include "tuner/reflect.h"
#include "tuner/space.h"

namespace example {

using namespace warpline;  // NOLINT(google-build-using-namespace): an example

// [point]
struct Blocks {
  int rows;
  int columns;
};

}  // namespace example
BOOST_HANA_ADAPT_STRUCT(example::Blocks, rows, columns);  // from now on Hana knows its names
namespace example {
// [point]

// [space]
constexpr auto product =
    tuner::space<Blocks>(tuner::parameter<"rows">(1, 8, 64), tuner::parameter<"columns">(1, 8, 64));

constexpr bool plan(const Blocks& blocks) { return blocks.rows * blocks.columns <= 1024; }

constexpr auto survivors = tuner::survivors<product, plan>();
static_assert(survivors.size() == 8);
// [space]

template <Blocks Block>
void transpose(const std::vector<int>& from, std::vector<int>& to, int extent) {
  for (int row = 0; row < extent; row += Block.rows) {
    for (int column = 0; column < extent; column += Block.columns) {
      for (int i = row; i < std::min(row + Block.rows, extent); ++i) {
        for (int j = column; j < std::min(column + Block.columns, extent); ++j) {
          to[static_cast<std::size_t>(j * extent + i)] =
              from[static_cast<std::size_t>(i * extent + j)];
        }
      }
    }
  }
}

// Here all in one unit; kernels get one each.
template <std::size_t... I>
constexpr auto all(std::index_sequence<I...>) {
  using Function = void (*)(const std::vector<int>&, std::vector<int>&, int);
  return std::array<Function, sizeof...(I)>{transpose<survivors[I]>...};
}
constexpr auto candidates = all(std::make_index_sequence<survivors.size()>());

// [measure]
class TransposeMeasure : public tuner::Measure {
 public:
  explicit TransposeMeasure(int extent)
      : extent_(extent), from_(static_cast<std::size_t>(extent) * extent), to_(from_.size()) {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      from_[i] = static_cast<int>(i);
    }
  }

  tuner::Outcome check(std::size_t candidate) override {
    std::fill(to_.begin(), to_.end(), -1);
    candidates[candidate](from_, to_, extent_);
    for (int i = 0; i < extent_; ++i) {
      if (to_[static_cast<std::size_t>(i)] != i * extent_) {
        return {.state = tuner::Outcome::State::wrong, .why = "a row is not the column"};
      }
    }
    return {};
  }

  tuner::Outcome time(std::size_t candidate) override {
    const double begin = seconds();
    candidates[candidate](from_, to_, extent_);
    return {.milliseconds = (seconds() - begin) * 1000};
  }

  double seconds() override {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
  }

 private:
  int extent_;
  std::vector<int> from_;
  std::vector<int> to_;
};
// [measure]

TEST_CASE("the example of docs/tuner.md") {
  const tests::TemporaryFolder folder;
  const std::filesystem::path file = folder / "tuning.json";
  // [tune]
  TransposeMeasure measure(300);
  const tuner::RaceResult result = tuner::race(survivors.size(), measure, {.budget_seconds = 5});
  if (const auto winner = result.winner()) {
    const std::string why_not = tuner::store(
        file, {.key = {.gpu = "none", .driver = "", .kernel = "transpose", .problem = {{"n", 300}}},
               .configuration = tuner::values_of(survivors[*winner]),
               .milliseconds = result.standings.front().milliseconds,
               .complete = result.complete,
               .date = tuner::date_now()});
    CHECK(why_not.empty());
  }
  // [tune]
  CHECK(result.complete);
  CHECK(result.excluded.empty());
  REQUIRE(result.winner().has_value());

  // [choose]
  const auto is_built = [](const tuner::Values& values) {
    return std::any_of(survivors.begin(), survivors.end(), [&](const Blocks& blocks) {
      return tuner::same(tuner::values_of(blocks), values);
    });
  };
  const tuner::CacheContents cache = tuner::read_cache(file);  // cache.complaint: a line, or empty
  const tuner::Chosen chosen = tuner::choose(cache.entries, {"none", "", "transpose", {{"n", 200}}},
                                             is_built, tuner::values_of(Blocks{8, 8}));
  // [choose]
  CHECK(chosen.source == tuner::Source::nearest);
  CHECK(tuner::same(chosen.configuration, tuner::values_of(survivors[*result.winner()])));
}

}  // namespace example
