// Bulk copies: pieces of any multiple of 16 bytes into shared memory, and out again by groups.
#include "warpline/isa/bulk_copy.h"

#include "tests/differential/probe.h"
#include "tests/support/catch.h"
#include "warpline/isa/bulk_group.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

constexpr int max_pieces = 8;
constexpr uint32_t buffer_bytes = 24 * 1024;

struct Piece {
  uint32_t from;
  uint32_t to;
  uint32_t bytes;
  uint32_t barrier;  ///< of loads
};

struct BulkProbe {
  using Roles = RoleList<ProbeRole>;
  static constexpr int barriers = 2;
  struct Arguments {
    const unsigned char* in;
    unsigned char* out;
    uint32_t* dump;
    Piece loads[max_pieces];
    Piece stores[max_pieces];
    int load_count;
    int store_count;
    bool group_per_store;
  };
  struct SharedMemory {
    alignas(128) uint32_t words[buffer_bytes / 4];
    isa::Mbarrier full[barriers];
  };
  static constexpr LaunchConfig launch{.name = "bulk probe"};

  static WARPLINE_DEVICE void load(const Arguments& args, SharedMemory& shared) {
    for (int i = 0; i < args.load_count; ++i) {
      const Piece& piece = args.loads[i];
      isa::mbarrier_expect_tx(shared.full[piece.barrier], piece.bytes);
      isa::bulk_load(&shared.words[piece.to / 4], args.in + piece.from, piece.bytes,
                     shared.full[piece.barrier]);
    }
    isa::mbarrier_arrive(shared.full[0]);
    isa::mbarrier_arrive(shared.full[1]);
  }

  static WARPLINE_DEVICE void store(const Arguments& args, SharedMemory& shared) {
    for (int i = 0; i < args.store_count; ++i) {
      const Piece& piece = args.stores[i];
      isa::bulk_store(args.out + piece.to, &shared.words[piece.from / 4], piece.bytes);
      if (args.group_per_store) {
        isa::bulk_commit_group();
        isa::bulk_wait_group_read<1>();
      }
    }
    isa::bulk_commit_group();
    isa::bulk_wait_group<0>();
  }

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    init_barriers(shared.full, barriers, 1);
    fill_shared(shared.words, buffer_bytes / 4, 0, true);
    const bool issuer = isa::warp_index() == 2 && isa::elect_one();
    if (issuer) {
      load(args, shared);
    }
    bounded_wait(shared.full[0], 0);
    bounded_wait(shared.full[1], 0);
    if (issuer) {
      store(args, shared);
    }
    dump_shared(args.dump, shared.words, buffer_bytes / 4);
  }
};

struct BulkCase {
  std::string name;
  BulkProbe::Arguments args{};
  Bytes in;
  Bytes expected;  ///< what was stored, then shared memory
};

/// Pieces that do not overlap where they are written.
int draw_pieces(Dice& dice, Piece (&pieces)[max_pieces]) {
  uint32_t next = 0;
  int count = 0;
  for (const int wanted = dice.between(1, max_pieces); count < wanted; ++count) {
    Piece& piece = pieces[count];
    piece.bytes =
        static_cast<uint32_t>(16 * (dice.one_in(4) ? dice.between(1, 4) : dice.between(1, 180)));
    piece.to = next + static_cast<uint32_t>(16 * dice.between(0, 5));
    piece.from = static_cast<uint32_t>(
        16 * dice.between(0, static_cast<int>((buffer_bytes - piece.bytes) / 16)));
    piece.barrier = static_cast<uint32_t>(dice.between(0, 1));
    next = piece.to + piece.bytes;
  }
  return count;
}

BulkCase bulk_case(uint32_t seed) {
  Dice dice(seed);
  BulkCase test;
  test.name = "seed" + std::to_string(seed);
  test.in = filled(buffer_bytes, seed);
  test.args.load_count = draw_pieces(dice, test.args.loads);
  test.args.store_count = draw_pieces(dice, test.args.stores);
  test.args.group_per_store = dice.one_in(2);
  Bytes shared(buffer_bytes, canary);
  for (int i = 0; i < test.args.load_count; ++i) {
    const Piece& piece = test.args.loads[i];
    std::memcpy(&shared[piece.to], &test.in[piece.from], piece.bytes);
  }
  test.expected.assign(buffer_bytes, canary);
  for (int i = 0; i < test.args.store_count; ++i) {
    const Piece& piece = test.args.stores[i];
    std::memcpy(&test.expected[piece.to], &shared[piece.from], piece.bytes);
  }
  test.expected.insert(test.expected.end(), shared.begin(), shared.end());
  return test;
}

Bytes run_bulk(const BulkCase& test, const Stream& stream) {
  const TargetBytes in(test.in);
  const TargetBytes out(Bytes(std::size_t{2} * buffer_bytes, canary));
  auto args = test.args;
  args.in = in.data();
  args.out = out.data();
  args.dump = reinterpret_cast<uint32_t*>(out.data() + buffer_bytes);
  run_probe<BulkProbe>(stream, {1, 1, 1}, args);
  return out.read();
}

TEST_CASE("differential: bulk copies") {
  Results results("bulk_copy", on_gpu);
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    const BulkCase test = bulk_case(seed);
    INFO(test.name);
    for (const Stream& stream : all_streams(seed)) {
      const Bytes found = run_bulk(test, stream);
      CHECK(first_difference(found, test.expected) == "");
      CHECK(results.difference(test.name, found) == "");
    }
  }
  CHECK(results.forgotten() == "");
  if (!results.recorded()) {
    SKIP("no recorded results");
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
