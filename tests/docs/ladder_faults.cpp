// Four mistakes in a hand-written v3, and the reports that docs/ladder/v3.md quotes.
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "samples/ladder/host.h"
#include "tests/docs/ladder_by_hand.h"
#include "tests/support/catch.h"
#include "tests/support/schedules.h"

namespace ladder {
namespace {

constexpr int size = 128;
constexpr int k_tiles = 6;
constexpr int k = k_tiles * ByHand::config.block_k;

/// C of ones times ones, on one tile.
template <class Body>
std::vector<__half> run(const Stream& stream) {
  using Host = LadderHost<ByHandKernel<Body>, ByHand::config>;
  const std::vector<__half> ones(size * k, __float2half(1.0f));
  std::vector<__half> c(size * size);
  const MatmulProblem problem{ones.data(), ones.data(), c.data(), size, size, k, k, k, size};
  const auto args = Host::arguments(problem);
  launch<ByHandKernel<Body>>(stream, Host::grid(args, problem), args);
  return c;
}

/// Without a mistake.
struct Right : ByHand {};

struct EarlyRelease : ByHand {
  WARPLINE_DEVICE void consume() {
    RingPosition<stages> at{.parity = 0};
    Sum sum;
    for (int t = 0; t < args.k_tiles; ++t) {
      const int s = at.stage;
      wait(in.full[s], at.parity);
      // [early_release]
      const auto token = mma(sum, in.a[s], in.b[s]);
      isa::mbarrier_arrive(in.empty[s]);  // too early
      token.wait();
      // [early_release]
      at.advance();
    }
    store(sum, args.c, m, n, isa::thread_index());
  }
};

template <uint32_t FirstParity, bool Drains>
struct OtherProducer : ByHand {
  WARPLINE_DEVICE void produce() {
    RingPosition<stages> at{.parity = FirstParity};
    for (int t = 0; t < args.k_tiles; ++t) {
      const int s = at.stage;
      wait(in.empty[s], at.parity);
      isa::mbarrier_arrive_expect_tx(in.full[s], in.a->bytes + in.b->bytes);
      load_tile(in.a[s], args.a, {m, t * block_k}, in.full[s]);
      load_tile(in.b[s], args.b, {n, t * block_k}, in.full[s]);
      at.advance();
    }
    for (int i = 0; Drains && i < stages; ++i) {
      wait(in.empty[at.stage], at.parity);
      at.advance();
    }
  }
};
using ProducerStartsAtParity0 = OtherProducer<0, true>;
using NoDrain = OtherProducer<1, false>;

struct ConsumerStartsAtParity1 : ByHand {
  WARPLINE_DEVICE void consume() {
    RingPosition<stages> at{.parity = 1};
    Sum sum;
    for (int t = 0; t < args.k_tiles; ++t) {
      const int s = at.stage;
      wait(in.full[s], at.parity);
      mma(sum, in.a[s], in.b[s]).wait();
      isa::mbarrier_arrive(in.empty[s]);
      at.advance();
    }
    store(sum, args.c, m, n, isa::thread_index());
  }
};

/// Without what changes with the sources or with the order of events: folders, lines, lanes,
/// addresses. And the page breaks lines that a report does not.
std::string comparable(const std::string& text) {
  const std::string placeless =
      std::regex_replace(text, std::regex("[^ \n]*(tests/docs/[a-z_.]+)(:[0-9]+)?"), "$1");
  std::istringstream words(
      std::regex_replace(placeless, std::regex("(warp|lane|offset) [0-9]+"), "$1 N"));
  std::string line;
  for (std::string word; words >> word;) {
    line += word + " ";
  }
  return line;
}

template <class Body>
void quoted(simulator::FaultKind kind) {
  std::string report;
  try {
    run<Body>(Stream{.options = {.policy = simulator::Policy::adversarial}});
  } catch (const simulator::SimulationFault& fault) {
    CHECK(fault.report.kind == kind);
    report = fault.what();
  }
  INFO("the simulator says\n" << report);
  REQUIRE(!report.empty());
  const std::ifstream page(WARPLINE_TESTS_FOLDER "/../docs/ladder/v3.md");
  std::ostringstream text;
  text << page.rdbuf();
  CHECK(comparable(text.str()).find(comparable(report)) != std::string::npos);
}

TEST_CASE("v3 by hand is right and clean") {
  tests::on_every_schedule(5, [](const Stream& stream) {
    for (const __half& value : run<Right>(stream)) {
      REQUIRE(__half2float(value) == static_cast<float>(k));
    }
  });
}
TEST_CASE("docs/ladder/v3.md quotes the report of an early release") {
  quoted<EarlyRelease>(simulator::FaultKind::wgmma_race);
}
TEST_CASE("docs/ladder/v3.md quotes the report of a producer that starts at parity 0") {
  quoted<ProducerStartsAtParity0>(simulator::FaultKind::deadlock);
}
TEST_CASE("docs/ladder/v3.md quotes the report of a consumer that starts at parity 1") {
  quoted<ConsumerStartsAtParity1>(simulator::FaultKind::uninitialised_read);
}
TEST_CASE("docs/ladder/v3.md quotes the report of a producer that does not drain") {
  quoted<NoDrain>(simulator::FaultKind::leak);
}

}  // namespace
}  // namespace ladder
