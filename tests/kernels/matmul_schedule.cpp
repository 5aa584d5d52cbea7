// Which part of which tile each cluster of a persistent matmul works on: every k tile of every tile
// once, and nobody waits for one who waits.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "matmul/persistent_schedule.h"
#include "tests/support/catch.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

PersistentSchedule schedule_of(int m_tiles, int n_tiles, int k_tiles, int clusters, int parts,
                               bool any_order) {
  PersistentSchedule schedule{.order = {.grouped = {m_tiles, n_tiles, 2}, .hilbert_side = 0},
                              .batch = 2,
                              .k_tiles = k_tiles,
                              .clusters = clusters,
                              .whole_tiles = 0,
                              .parts = parts,
                              .any_order = any_order};
  schedule.whole_tiles = parts == 1 ? schedule.tiles() : schedule.tiles() / clusters * clusters;
  return schedule;
}

void check_complete(const PersistentSchedule& schedule) {
  INFO(schedule.order.grouped.m_tiles << " x " << schedule.order.grouped.n_tiles << " x "
                                      << schedule.k_tiles << ", " << schedule.clusters
                                      << " clusters, parts " << schedule.parts
                                      << (schedule.any_order ? " in any order" : ""));
  struct Left {
    int tile;
    int index;
  };
  std::map<int, Left> left;  // by the place of the sums, or of the first where all are added
  std::map<std::vector<int>, int> covered;
  std::map<int, int> longest;  // k tiles of a cluster
  for (int index = 0; index < schedule.count(); ++index) {
    const WorkItem item = schedule.at(index);
    REQUIRE(item.k_tiles >= 0);
    REQUIRE(item.k_first + item.k_tiles <= schedule.k_tiles);
    longest[index % schedule.clusters] += item.k_tiles;
    if (item.k_tiles == 0) {
      REQUIRE(schedule.streams());
      continue;
    }
    for (int k = item.k_first; k < item.k_first + item.k_tiles; ++k) {
      ++covered[{item.matrix, item.tile.m, item.tile.n, k}];
    }
    if (item.part + 1 < item.parts) {
      const int place = item.first_sums + (item.any_order ? 0 : item.part);
      REQUIRE(place < schedule.sums());
      if (item.any_order && item.part > 0) {
        // Part 0 makes zero what the others add to, and has begun to before they wait for it.
        const auto found = left.find(place);
        REQUIRE(found != left.end());
        REQUIRE(found->second.tile == item.cut_tile);
        REQUIRE(found->second.index % schedule.clusters < index % schedule.clusters);
      } else {
        REQUIRE(left.emplace(place, Left{item.cut_tile, index}).second);
      }
    } else {
      REQUIRE(item.k_first + item.k_tiles == schedule.k_tiles);
    }
  }
  REQUIRE(covered.size() ==
          static_cast<std::size_t>(schedule.tiles()) * static_cast<std::size_t>(schedule.k_tiles));
  for (const auto& [what, times] : covered) {
    REQUIRE(times == 1);
  }
  for (int index = 0; index < schedule.count(); ++index) {
    const WorkItem item = schedule.at(index);
    if (item.k_tiles == 0 || item.part + 1 < item.parts) {
      continue;
    }
    for (int part = 0; part < (item.any_order ? 1 : item.parts - 1); ++part) {
      const auto found = left.find(item.first_sums + part);
      REQUIRE(found != left.end());
      REQUIRE(found->second.tile == item.cut_tile);
      // Of a cluster before, in this round or an earlier one: it has not waited by then.
      REQUIRE(found->second.index % schedule.clusters < index % schedule.clusters);
      REQUIRE(found->second.index < index);
      left.erase(found);
    }
  }
  CHECK(left.empty());
  if (schedule.streams()) {
    int least = schedule.k_tiles * schedule.tiles();
    int most = 0;
    for (const auto& [cluster, k_tiles] : longest) {
      least = std::min(least, k_tiles);
      most = std::max(most, k_tiles);
    }
    CHECK(most - least <= 1);
  }
}

TEST_CASE("a persistent schedule has every k tile once, and waits only for who does not wait") {
  for (const int clusters : {1, 2, 3, 4, 6, 12}) {
    for (const int m_tiles : {1, 2, 3, 5}) {
      for (const int n_tiles : {1, 3, 4}) {
        for (const int k_tiles : {1, 2, 5, 16}) {
          for (const int parts : {0, 1, 2, 3, 6}) {
            for (const bool any_order : {false, true}) {
              const PersistentSchedule schedule =
                  schedule_of(m_tiles, n_tiles, k_tiles, clusters, parts, any_order);
              const bool possible = parts == 0 ? schedule.cut_tiles() * k_tiles >= clusters
                                               : parts <= k_tiles && clusters % parts == 0;
              if (possible) {
                check_complete(schedule);
              }
            }
          }
        }
      }
    }
  }
}

TEST_CASE("sums that are added in any order have one place; two parts are always in order") {
  CHECK(schedule_of(1, 3, 16, 12, 3, true).sums() == 6);
  CHECK(schedule_of(1, 3, 16, 12, 3, false).sums() == 12);
  CHECK(schedule_of(1, 3, 16, 12, 2, true).sums() == 6);
  CHECK_FALSE(schedule_of(1, 3, 16, 12, 2, true).at(0).any_order);
  CHECK(schedule_of(1, 3, 16, 12, 3, true).at(0).any_order);
}

TEST_CASE("the CTAs of a cluster share an item's k tiles evenly, the first ones more") {
  for (const int ctas : {2, 4, 8}) {
    for (int k_tiles = 1; k_tiles < 40; ++k_tiles) {
      const WorkItem whole{.tile = {3, 2}, .matrix = 1, .k_first = 5, .k_tiles = k_tiles};
      int next = whole.k_first;
      int before = k_tiles;
      for (int rank = 0; rank < ctas; ++rank) {
        const WorkItem part = part_of(whole, rank, ctas);
        INFO(k_tiles << " k tiles, CTA " << rank << " of " << ctas);
        REQUIRE(part.k_first == next);
        REQUIRE(part.k_tiles <= before);
        REQUIRE(part.k_tiles >= k_tiles / ctas);
        REQUIRE(part.k_tiles <= k_tiles / ctas + 1);
        REQUIRE(part.tile.m == 3);
        REQUIRE(part.tile.n == 2);
        REQUIRE(part.matrix == 1);
        next += part.k_tiles;
        before = part.k_tiles;
      }
      REQUIRE(next == whole.k_first + k_tiles);
    }
  }
}

TEST_CASE("Hilbert's curve: every tile once, and within a block each beside the last") {
  for (const int side : {1, 2, 4, 8}) {
    for (const int m_tiles : {1, 3, 8, 13}) {
      for (const int n_tiles : {1, 2, 8, 17}) {
        const HilbertRaster order{m_tiles, n_tiles, side};
        std::set<std::pair<int, int>> seen;
        TileIndex last{};
        for (int index = 0; index < order.count(); ++index) {
          const TileIndex tile = order.at(index);
          INFO(m_tiles << " x " << n_tiles << ", side " << side << ", tile " << index << ": "
                       << tile.m << ", " << tile.n);
          REQUIRE(tile.m >= 0);
          REQUIRE(tile.m < m_tiles);
          REQUIRE(tile.n >= 0);
          REQUIRE(tile.n < n_tiles);
          REQUIRE(seen.emplace(tile.m, tile.n).second);
          const int block_m = tile.m / side;
          const int block_n = tile.n / side;
          const bool whole = (block_m + 1) * side <= m_tiles && (block_n + 1) * side <= n_tiles;
          if (index > 0 && whole && block_m == last.m / side && block_n == last.n / side) {
            REQUIRE(std::abs(tile.m - last.m) + std::abs(tile.n - last.n) == 1);
          }
          last = tile;
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
