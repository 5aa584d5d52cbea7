// What a Pipeline derives from its types: bytes, arrival counts, names, the layout of its storage;
// and its description.
#include <cuda_fp16.h>

#include <cstddef>

#include "tests/support/catch.h"
#include "warpline/describe.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct Consumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
};
struct Second {
  static constexpr RoleConfig config{.name = "second", .warps = 8, .multiplies = true};
};
struct Caster {
  static constexpr RoleConfig config{.name = "caster", .warps = 4};
};
struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
struct Scales {
  static constexpr RoleConfig config{.name = "scales", .warps = 4};
};

using A = SharedTile<__half, 128, 64>;
using B = SharedTile<__half, 64, 64>;
struct Stage {
  A a;
  B b;
};

template <Release Policy, class... Phases>
using Ring = Pipeline<Stage, PipelineConfig{.stages = 3, .release = Policy}, Phases...>;

TEST_CASE("bytes and arrivals of one producer and one consumer") {
  using Threads = Ring<Release::per_thread, FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;
  using Warps = Ring<Release::per_warp, FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;
  using Groups =
      Ring<Release::per_warpgroup, FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;
  STATIC_REQUIRE(Threads::tile_bytes == 128 * 64 * 2 + 64 * 64 * 2);
  STATIC_REQUIRE(Threads::arms_whole_stage);
  STATIC_REQUIRE(Threads::phases == 2);
  STATIC_REQUIRE(Threads::arrival_count(0) == 1);
  STATIC_REQUIRE(Threads::arrival_count(1) == 128);
  STATIC_REQUIRE(Warps::arrival_count(1) == 4);
  STATIC_REQUIRE(Groups::arrival_count(1) == 1);
}

TEST_CASE("arrivals of several roles in a phase add up") {
  using Many = Ring<Release::per_warp, FilledByCopies<Producer, Scales>,
                    ReadByTensorCores<Consumer, Second>>;
  STATIC_REQUIRE(Many::arrival_count(0) == 2);  // one of each role, whatever its warps
  STATIC_REQUIRE(Many::arrival_count(1) == 12);
  STATIC_REQUIRE_FALSE(Many::arms_whole_stage);
  using PerThread = Ring<Release::per_thread, FilledByThreads<Scales>, ReadByTensorCores<Consumer>>;
  STATIC_REQUIRE(PerThread::arrival_count(0) == 128);
  using PerGroup = Ring<Release::per_warpgroup, FilledByThreads<Scales>, ReadByTensorCores<Second>>;
  STATIC_REQUIRE(PerGroup::arrival_count(0) == 1);
  STATIC_REQUIRE(PerGroup::arrival_count(1) == 2);
}

TEST_CASE("three phases have three barriers") {
  using Three = Ring<Release::per_warp, FilledByCopies<Producer>, TransformedByThreads<Caster>,
                     ReadByTensorCores<Consumer>>;
  STATIC_REQUIRE(Three::phases == 3);
  STATIC_REQUIRE(Three::arrival_count(0) == 1);
  STATIC_REQUIRE(Three::arrival_count(1) == 4);
  STATIC_REQUIRE(Three::arrival_count(2) == 4);
  CHECK(std::string(Three::barrier_name(0)) == "full");
  CHECK(std::string(Three::barrier_name(1)) == "transformed");
  CHECK(std::string(Three::barrier_name(2)) == "empty");
  STATIC_REQUIRE(sizeof(Three::Storage) == 3 * sizeof(Stage) + 1024);
}

TEST_CASE("a cluster's CTAs that fill each other's stages are counted") {
  struct Shared {
    Multicast<A, ClusterAxis::y, 4> a;
    Multicast<B, ClusterAxis::x, 2> b;
  };
  struct RowsOnly {
    Multicast<A, ClusterAxis::y, 4> a;
    B b;
  };
  constexpr PipelineConfig config{.stages = 2, .cluster = {2, 4}};
  using Both = Pipeline<Shared, config, FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;
  using One = Pipeline<RowsOnly, config, FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;
  STATIC_REQUIRE(Both::peers == 1 + 1 + 3);
  STATIC_REQUIRE(Both::arrival_count(0) == 1);
  STATIC_REQUIRE(Both::arrival_count(1) == 4 * 5);
  STATIC_REQUIRE(Both::tile_bytes == A::bytes + B::bytes);
  STATIC_REQUIRE(One::peers == 4);
  STATIC_REQUIRE(One::arrival_count(1) == 16);
}

TEST_CASE("arrays are announced by each load, tiles with the stage") {
  struct WithArray {
    A a;
    SharedArray<float, 64> scales;
  };
  using Mixed =
      Pipeline<WithArray, PipelineConfig{}, FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;
  STATIC_REQUIRE(Mixed::tile_bytes == A::bytes);
  STATIC_REQUIRE_FALSE(Mixed::arms_whole_stage);
}

TEST_CASE("storage pads to what its tiles need") {
  struct Padded {
    SharedArray<unsigned char, 128> small;
    A swizzled;
    SharedTile<__half, 2, 16> tiny;
    B last;
  };
  STATIC_REQUIRE(offsetof(Padded, swizzled) == 1024);
  STATIC_REQUIRE(sizeof(SharedTile<__half, 2, 16>) == 256);  // 64 bytes, on the 256 of its swizzle
  STATIC_REQUIRE(offsetof(Padded, tiny) % 256 == 0);
  STATIC_REQUIRE(offsetof(Padded, last) % 1024 == 0);
  using Padding = Pipeline<Padded, PipelineConfig{.stages = 2}, FilledByCopies<Producer>,
                           ReadByTensorCores<Consumer>>;
  STATIC_REQUIRE(Padding::tile_bytes == A::bytes + 64 + B::bytes);
  STATIC_REQUIRE(sizeof(Padded) % 1024 == 0);
  STATIC_REQUIRE(offsetof(Padding::Storage, barrier) == 2 * sizeof(Padded));
}

TEST_CASE("members of a stage, in order") {
  struct None {};
  struct OneMember {
    A a;
  };
  struct Eight {
    A a;
    B b;
    int c;
    SharedArray<int, 4> d;
    Multicast<A, ClusterAxis::x, 2> e;
    float f;
    char g;
    double h;
  };
  STATIC_REQUIRE(std::is_same_v<MemberTypes<None>, TypeList<>>);
  STATIC_REQUIRE(std::is_same_v<MemberTypes<OneMember>, TypeList<A>>);
  STATIC_REQUIRE(std::is_same_v<MemberTypes<Stage>, TypeList<A, B>>);
  STATIC_REQUIRE(std::is_same_v<MemberTypes<Eight>,
                                TypeList<A, B, int, SharedArray<int, 4>,
                                         Multicast<A, ClusterAxis::x, 2>, float, char, double>>);
}

struct Described {
  using Roles = RoleList<Consumer, Caster, Producer>;
  struct Input {
    Multicast<A, ClusterAxis::y, 2> a;
    B b;
    SharedArray<float, 64> scales;
  };
  using Ring =
      Pipeline<Input, PipelineConfig{.stages = 3, .cluster = {1, 2}}, FilledByCopies<Producer>,
               TransformedByThreads<Caster>, ReadByTensorCores<Consumer>>;
  struct Arguments {};
  struct SharedMemory {
    Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{
      .name = "described", .min_ctas_per_sm = 2, .registers = 96, .cluster = {1, 2}};
  WARPLINE_DEVICE void operator()(const Arguments&, SharedMemory&) const {}
};

TEST_CASE("a kernel's description is made of its own constants") {
  using Catch::Matchers::ContainsSubstring;
  const std::string text = describe<Described>();
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("kernel described: 288 threads, cluster 1 x 2"));
  CHECK_THAT(text, ContainsSubstring("consumer      0-3"));
  CHECK_THAT(text, ContainsSubstring("caster        4-7"));
  CHECK_THAT(text, ContainsSubstring("producer      8  "));
  CHECK_THAT(text, ContainsSubstring("as launched (96)"));
  CHECK_THAT(text, ContainsSubstring("pipeline of 3 stages"));
  CHECK_THAT(text, ContainsSubstring(std::to_string(sizeof(Described::Input)) + " bytes"));
  CHECK_THAT(text,
             ContainsSubstring(
                 "128 x 64 tile, 16384 bytes, 128-byte swizzle, multicast to 2 CTAs along y"));
  CHECK_THAT(text, ContainsSubstring("array of 64, 256 bytes"));
  CHECK_THAT(text, ContainsSubstring("full[3]"));
  CHECK_THAT(text, ContainsSubstring("1 arrival and the announced bytes"));
  CHECK_THAT(text, ContainsSubstring("transformed[3]"));
  CHECK_THAT(text, ContainsSubstring("4 arrivals"));
  CHECK_THAT(text, ContainsSubstring("empty[3]"));
  CHECK_THAT(text, ContainsSubstring("8 arrivals"));
  CHECK_THAT(text,
             ContainsSubstring("shared memory " + std::to_string(sizeof(Described::SharedMemory)) +
                               " of 232448 bytes; at least 2 CTAs"));
}

TEST_CASE("CTAs that fit on a multiprocessor") {
  STATIC_REQUIRE(ctas_per_sm(232448, 160, 168) == 1);
  STATIC_REQUIRE(ctas_per_sm(115712, 160, 168) == 2);  // 2 x (113 KB + 1 KB) is 228 KB
  STATIC_REQUIRE(ctas_per_sm(115713, 160, 168) == 1);
  STATIC_REQUIRE(ctas_per_sm(1024, 1024, 32) == 2);  // threads
  STATIC_REQUIRE(ctas_per_sm(1024, 128, 255) == 2);  // registers
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
