// What the lanes of a warp do together: stmatrix of every size, shuffles, election; and named
// barriers between warps.
#include "tests/differential/probe.h"
#include "tests/support/catch.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/stmatrix.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr uint32_t warps = 4;
constexpr uint32_t rows_per_warp = 64;  // of 16 bytes
constexpr uint32_t tile_bytes = warps * rows_per_warp * 16;

/// Lane `lane` stores to row row_of(...): rows in random order, all different.
WARPLINE_HOST_DEVICE constexpr uint32_t row_of(uint32_t seed, uint32_t warp, uint32_t lane) {
  const uint32_t odd =
      pattern(seed, 100 + warp) | 1;  // times an odd number, modulo 64: a permutation
  return warp * rows_per_warp + (lane * odd + pattern(seed, 200 + warp)) % rows_per_warp;
}

WARPLINE_HOST_DEVICE constexpr uint32_t fragment_of(uint32_t seed, uint32_t thread, int matrix) {
  return pattern(seed + 7, thread * 4 + static_cast<uint32_t>(matrix));
}

template <int Matrices, bool Transposed>
struct StmatrixProbe {
  using Roles = RoleList<ProbeRole>;
  struct Arguments {
    uint32_t* out;
    uint32_t seed;
  };
  struct SharedMemory {
    alignas(128) uint32_t words[tile_bytes / 4];
  };
  static constexpr LaunchConfig launch{.name = "stmatrix probe"};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    fill_shared(shared.words, tile_bytes / 4, 0, true);
    uint32_t fragment[Matrices];
    for (int i = 0; i < Matrices; ++i) {
      fragment[i] = fragment_of(args.seed, isa::thread_index(), i);
    }
    const uint32_t row = row_of(args.seed, isa::warp_index(), isa::lane_index());
    isa::stmatrix<Matrices, Transposed>(&shared.words[row * 4], fragment);
    isa::syncthreads();
    dump_shared(args.out, shared.words, tile_bytes / 4);
  }
};

template <int Matrices, bool Transposed>
Bytes expected_stmatrix(uint32_t seed) {
  Bytes tile(tile_bytes, canary);
  for (uint32_t warp = 0; warp < warps; ++warp) {
    for (int matrix = 0; matrix < Matrices; ++matrix) {
      for (uint32_t lane = 0; lane < 32; ++lane) {
        for (uint32_t half = 0; half < 2; ++half) {
          uint32_t row = lane / 4;
          uint32_t column = lane % 4 * 2 + half;
          if (Transposed) {
            std::swap(row, column);
          }
          const uint32_t pair = fragment_of(seed, warp * 32 + lane, matrix);
          const auto bits = static_cast<uint16_t>(pair >> (16 * half));
          const uint32_t place = row_of(seed, warp, static_cast<uint32_t>(matrix) * 8 + row);
          std::memcpy(&tile[place * 16 + column * 2], &bits, 2);
        }
      }
    }
  }
  return tile;
}

template <int Matrices, bool Transposed>
void check_stmatrix(Results& results) {
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    const std::string name = "stmatrix_x" + std::to_string(Matrices) +
                             (Transposed ? "_trans" : "") + "_seed" + std::to_string(seed);
    INFO(name);
    for (const Stream& stream : all_streams(seed)) {
      const TargetBytes out(Bytes(tile_bytes, 0));
      run_probe<StmatrixProbe<Matrices, Transposed>>(
          stream, {1, 1, 1}, {.out = reinterpret_cast<uint32_t*>(out.data()), .seed = seed});
      CHECK(first_difference(out.read(), expected_stmatrix<Matrices, Transposed>(seed)) == "");
      CHECK(results.difference(name, out.read()) == "");
    }
  }
}

constexpr int shuffle_rounds = 32;

/// Shuffles one after the other, each of what the last gave; and, per warp, how many lanes were
/// elected and whether it was the same one each time.
struct ShuffleProbe {
  using Roles = RoleList<ProbeRole>;
  struct Arguments {
    uint32_t* out;
    uint32_t seed;
  };
  struct SharedMemory {
    uint32_t unused;
  };
  static constexpr LaunchConfig launch{.name = "shuffle probe"};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory&) const {
    const uint32_t thread = isa::thread_index();
    const uint32_t lane = isa::lane_index();
    uint32_t value = pattern(args.seed, thread);
    bool elected = isa::elect_one();
    uint32_t elections = elected ? 1 : 0;
    bool steady = true;
    for (uint32_t round = 0; round < shuffle_rounds; ++round) {
      const uint32_t dice = pattern(args.seed, 1000 + round);
      value = round % 2 == 0 ? isa::shuffle(value, (lane * (dice | 1) + dice / 64) % 32)
                             : isa::shuffle_xor(value, dice % 32);
      value = value * 3 + lane;
      steady = steady && isa::elect_one() == elected;
      isa::syncwarp();
    }
    for (uint32_t mask = 16; mask != 0; mask /= 2) {
      elections += isa::shuffle_xor(elections, mask);
    }
    isa::store_global(&args.out[thread * 2], value);
    isa::store_global(&args.out[thread * 2 + 1], elections + (steady ? 256 : 0));
  }
};

Bytes expected_shuffle(uint32_t seed) {
  Bytes result(std::size_t{probe_threads} * 8);
  for (uint32_t warp = 0; warp < warps; ++warp) {
    uint32_t values[32];
    for (uint32_t lane = 0; lane < 32; ++lane) {
      values[lane] = pattern(seed, warp * 32 + lane);
    }
    for (uint32_t round = 0; round < shuffle_rounds; ++round) {
      const uint32_t dice = pattern(seed, 1000 + round);
      uint32_t next[32];
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const uint32_t from =
            round % 2 == 0 ? (lane * (dice | 1) + dice / 64) % 32 : lane ^ (dice % 32);
        next[lane] = values[from] * 3 + lane;
      }
      std::memcpy(values, next, sizeof values);
    }
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t words[] = {values[lane], 257};
      std::memcpy(&result[std::size_t{warp * 32 + lane} * 8], words, 8);
    }
  }
  return result;
}

/// Warps pass a token round through named barriers: each waits for the one before it, adds, and
/// arrives for the next.
struct NamedBarrierProbe {
  using Roles = RoleList<ProbeRole>;
  static constexpr uint32_t laps = 5;
  struct Arguments {
    uint32_t* out;
    uint32_t seed;
  };
  struct SharedMemory {
    uint32_t token[threads_per_warp];
  };
  static constexpr LaunchConfig launch{.name = "named barrier probe"};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    const uint32_t warp = isa::warp_index();
    uint32_t& token = shared.token[isa::lane_index()];
    if (warp == 0) {
      isa::store_shared(token, args.seed);
    }
    for (uint32_t lap = 0; lap < laps; ++lap) {
      if (warp != 0 || lap != 0) {
        isa::named_barrier_sync(1 + warp, 64);
      }
      isa::store_shared(token, isa::load_shared(token) * 5 + warp + isa::lane_index());
      if (warp != warps - 1 || lap != laps - 1) {
        isa::named_barrier_arrive(1 + (warp + 1) % warps, 64);
      }
    }
    isa::named_barrier_sync(15, probe_threads);
    isa::store_global(&args.out[isa::thread_index()], isa::load_shared(token));
  }
};

Bytes expected_token(uint32_t seed) {
  Bytes result(std::size_t{probe_threads} * 4);
  for (uint32_t thread = 0; thread < probe_threads; ++thread) {
    uint32_t token = seed;
    for (uint32_t turn = 0; turn < NamedBarrierProbe::laps * warps; ++turn) {
      token = token * 5 + turn % warps + thread % 32;
    }
    std::memcpy(&result[std::size_t{thread} * 4], &token, 4);
  }
  return result;
}

template <class Probe>
void check_probe(Results& results, const std::string& family, Bytes (*expected)(uint32_t)) {
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    const std::string name = family + "_seed" + std::to_string(seed);
    INFO(name);
    const Bytes wanted = expected(seed);
    for (const Stream& stream : all_streams(seed)) {
      const TargetBytes out(Bytes(wanted.size(), 0));
      run_probe<Probe>(stream, {1, 1, 1},
                       {.out = reinterpret_cast<uint32_t*>(out.data()), .seed = seed});
      CHECK(first_difference(out.read(), wanted) == "");
      CHECK(results.difference(name, out.read()) == "");
    }
  }
}

TEST_CASE("differential: warps and named barriers") {
  Results results("warp", on_gpu);
  check_stmatrix<1, false>(results);
  check_stmatrix<2, false>(results);
  check_stmatrix<4, false>(results);
  check_stmatrix<1, true>(results);
  check_stmatrix<2, true>(results);
  check_stmatrix<4, true>(results);
  check_probe<ShuffleProbe>(results, "shuffle", expected_shuffle);
  check_probe<NamedBarrierProbe>(results, "named_barrier", expected_token);
  CHECK(results.forgotten() == "");
  if (!results.recorded()) {
    SKIP("no recorded results");
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
