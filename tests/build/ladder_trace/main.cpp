// Writes what each role of each version of the ladder does, in its order, as JSON: the pictures of
// docs/ladder are drawn from it (docs/ladder/draw.py). Each kernel runs on the simulator, on one
// tile of C.
//
// The isa layer calls `simulator::f`. The namespace below is nearer to it than the real one, so its
// functions are called instead; they record, and pass the call on. A program of its own, since all
// of its isa layer is another than the other programs'.
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulator/simulate.h"

namespace {

struct Recorder {
  std::map<const void*, std::pair<std::string, int>> barriers;
  int unnamed = 0;
  std::map<unsigned, std::string> roles;  ///< of threads
  std::map<std::string, std::vector<std::string>> tracks;
  std::map<std::string, std::string> last;

  /// A role's warpgroups have a track each, if there are several.
  std::string track() const {
    const unsigned thread = warpline::simulator::thread_index();
    const auto found = roles.find(thread);
    const std::string role = found == roles.end() ? "worker" : found->second;
    return role + "/" + std::to_string(thread / 128);
  }
  /// One thread speaks for its track where all do the same.
  static bool speaks() { return warpline::simulator::thread_index() % 128 == 0; }

  void add(const std::string& event) {
    last[track()] = event;
    tracks[track()].push_back(event);
  }
  /// Once for any number of such events in a row.
  void add_once(const std::string& event) {
    if (speaks() && last[track()] != event) {
      add(event);
    }
  }
  std::string at(const void* barrier) const {
    const auto& [name, stage] = barriers.at(barrier);
    return "\"" + name + "\", " + std::to_string(stage);
  }
};
Recorder recorder;

}  // namespace

namespace warpline::inline sim::isa::simulator {

using namespace ::warpline::simulator;  // NOLINT(google-build-using-namespace): see above
namespace real = ::warpline::simulator;

inline void enter_role(const char* name) {
  recorder.roles[real::thread_index()] = name;
  real::enter_role(name);
}
inline void name_mbarrier(void* barrier, const char* name, int stage) {
  recorder.barriers[barrier] = {name, stage};
  real::name_mbarrier(barrier, name, stage);
}
inline void mbarrier_init(void* barrier, unsigned arrivals) {
  if (!recorder.barriers.contains(barrier)) {
    recorder.barriers[barrier] = {"loaded", recorder.unnamed++};
  }
  real::mbarrier_init(barrier, arrivals);
}
inline void mbarrier_wait(void* barrier, unsigned parity) {
  if (recorder.speaks()) {
    recorder.add("\"wait\", " + recorder.at(barrier) + ", " + std::to_string(parity));
  }
  real::mbarrier_wait(barrier, parity);
}
inline void mbarrier_arrive(void* barrier, unsigned count) {
  if (recorder.speaks()) {
    recorder.add("\"release\", " + recorder.at(barrier));
  }
  real::mbarrier_arrive(barrier, count);
}
inline void mbarrier_arrive_expect_tx(void* barrier, unsigned bytes) {
  recorder.add("\"announce\", " + recorder.at(barrier) + ", " + std::to_string(bytes));
  real::mbarrier_arrive_expect_tx(barrier, bytes);
}
inline void tensor_load(void* shared, const void* words, const std::int32_t* coordinates, int rank,
                        void* barrier, unsigned cta_mask) {
  recorder.add("\"load\", " + recorder.at(barrier));
  real::tensor_load(shared, words, coordinates, rank, barrier, cta_mask);
}
inline void mma_sync(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                     bool bf16) {
  recorder.add_once("\"compute\"");
  real::mma_sync(d, a, b, bf16);
}
inline void wgmma_commit_group() {
  if (recorder.speaks()) {
    recorder.add("\"multiply\"");
  }
  real::wgmma_commit_group();
}
inline void wgmma_wait_group(unsigned pending) {
  if (recorder.speaks()) {
    recorder.add("\"finish\", " + std::to_string(pending));
  }
  real::wgmma_wait_group(pending);
}
inline void syncthreads() {
  if (recorder.speaks()) {
    recorder.add("\"sync\"");
  }
  real::syncthreads();
}
inline void global_write(void* place, unsigned bytes, unsigned alignment) {
  recorder.add_once("\"store\"");
  real::global_write(place, bytes, alignment);
}

}  // namespace warpline::inline sim::isa::simulator

#include "matmul/warp_specialized_entry.h"
#include "samples/ladder/host.h"
#include "samples/ladder/v0.h"
#include "samples/ladder/v1.h"
#include "samples/ladder/v2.h"
#include "samples/ladder/v4.h"
#include "samples/ladder/v5.h"

namespace {

using ladder::LadderConfig;

template <class Host>
void trace(const char* version, int k_tiles, bool first = false) {
  recorder = {};
  const std::int64_t k = std::int64_t{k_tiles} * Host::block_k;
  const std::vector<__half> a(static_cast<std::size_t>(Host::block_m * k));
  const std::vector<__half> b(static_cast<std::size_t>(Host::block_n * k));
  std::vector<__half> c(static_cast<std::size_t>(Host::block_m) * Host::block_n);
  const warpline::MatmulProblem problem{a.data(), b.data(), c.data(), Host::block_m, Host::block_n,
                                        k,        k,        k,        Host::block_n};
  const auto arguments = Host::arguments(problem);
  // With `fair`, the elected lane is lane 0, which speaks.
  const warpline::Stream stream{.options = {.policy = warpline::simulator::Policy::fair}};
  warpline::launch<typename Host::Kernel>(stream, Host::grid(arguments, problem), arguments);

  std::cout << (first ? "" : ",\n") << "  \"" << version
            << "\": {\n    \"stages\": " << Host::stages << ",\n    \"tracks\": {";
  const char* before = "\n";
  for (const auto& [track, events] : recorder.tracks) {
    std::cout << before << "      \"" << track << "\": [";
    const char* separator = "\n";
    for (const std::string& event : events) {
      std::cout << separator << "        [" << event << "]";
      separator = ",\n";
    }
    std::cout << "\n      ]";
    before = ",\n";
  }
  std::cout << "\n    }\n  }";
}

template <template <LadderConfig> class Version, LadderConfig Config>
using Host = ladder::LadderHost<Version<Config>, Config>;

void trace_all() {
  std::cout << "{\n";
  trace<Host<ladder::V0, LadderConfig{.stages = 1}>>("v0", 4, true);
  trace<Host<ladder::V1, LadderConfig{.stages = 1}>>("v1", 4);
  trace<Host<ladder::V2, LadderConfig{.stages = 2}>>("v2", 5);
  trace<warpline::WarpSpecializedHost<warpline::WarpSpecializedConfig{.stages = 2}>>("v3", 5);
  trace<Host<ladder::V4, LadderConfig{.stages = 3}>>("v4", 5);
  trace<Host<ladder::V5, LadderConfig{.stages = 3, .block_n = 256}>>("v5", 5);
  std::cout << "\n}\n";
}

}  // namespace

int main() {
  try {
    trace_all();
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
