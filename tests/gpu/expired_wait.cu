// Checked builds: a wait that can never end is ended, and the host says who waited for what. The
// kernel's trap takes the process' CUDA context with it, so that each case runs in a process of its
// own.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/device_array.h"
#include "warpline/isa/barrier.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/wait.h"
#include "warpline/launch.h"
#include "warpline/thread_group.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct Consumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 1};
};

/// Stage 2 of a hand-written ring announces 64 bytes and `wrong` more than its load brings; CTA 3
/// waits for them.
struct WrongBytesKernel {
  using Roles = RoleList<Consumer>;
  struct Arguments {
    const int* input;
    int wrong;
  };
  struct SharedMemory {
    alignas(16) int data[16];
    isa::Mbarrier full;
  };
  static constexpr LaunchConfig launch{.name = "wrong_bytes"};

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    if (isa::thread_index() == 0) {
      isa::mbarrier_init(shared.full, 1);
      isa::fence_mbarrier_init();
    }
    isa::syncthreads();
    if (isa::thread_index() == 0) {
      const int wrong = isa::block_index().x == 3 ? arguments.wrong : 0;
      isa::mbarrier_arrive_expect_tx(shared.full, static_cast<uint32_t>(64 + wrong));
      isa::bulk_load(shared.data, arguments.input, 64, shared.full);
    }
    isa::wait(shared.full, 0, {.role = "consumer", .barrier = "full", .stage = 2});
  }
};

/// What the host says after the kernel, or "nothing". With a limit of 50 ms for each wait.
std::string outcome(int wrong) {
  const DeviceArray<int> input(std::vector<int>(16));
  if (isa::CheckMailbox* mailbox = isa::host_check_mailbox()) {
    mailbox->wait_limit_nanoseconds = 50'000'000;
  }
  try {
    launch<WrongBytesKernel>(Stream{}, {5, 1, 1}, {input.data(), wrong});
    synchronize(Stream{});
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST_CASE("a process that announces 16 bytes too many", "[.child]") {
  std::cout << "outcome: " << outcome(16) << std::endl;
  std::_Exit(0);  // freeing memory of a dead context fails
}

/// What this program prints when it runs only that case.
std::string output_of_child(const std::string& name) {
  std::array<char, 4096> path{};
  const auto length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  REQUIRE(length > 0);
  const std::string command = "'" + std::string(path.data()) + "' '" + name + "' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  std::array<char, 256> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr) {
    output += line.data();
  }
  pclose(pipe);
  return output;
}

TEST_CASE("waits that end are not reported") { CHECK(outcome(0) == "nothing"); }

TEST_CASE("16 bytes too many: the wait expires and is reported") {
  if (!checked) {
    SKIP("waits are bounded only in builds with WARPLINE_CHECKED");
  }
  const std::string output = output_of_child("a process that announces 16 bytes too many");
  INFO(output);
  CHECK_THAT(
      output,
      Catch::Matchers::ContainsSubstring(
          "outcome: a kernel failed: consumer waited in vain for full[2], parity 0 (CTA 3,0,0"));
  CHECK_THAT(output, Catch::Matchers::ContainsSubstring("limit 50 ms"));
}

/// 64 phases that complete at once, waited for by a role named `delayed_role` in the mailbox, or
/// another.
struct PhasesKernel {
  using Roles = RoleList<Consumer>;
  struct Arguments {};
  struct SharedMemory {
    isa::Mbarrier barrier;
  };
  static constexpr LaunchConfig launch{.name = "phases"};

  WARPLINE_DEVICE void operator()(const Arguments&, SharedMemory& shared) const {
    if (isa::thread_index() == 0) {
      isa::mbarrier_init(shared.barrier, 32);
    }
    isa::syncthreads();
    for (uint32_t phase = 0; phase < 64; ++phase) {
      isa::mbarrier_arrive(shared.barrier);
      isa::wait(shared.barrier, phase % 2, {.role = "consumer", .barrier = "ready", .stage = 0});
    }
  }
};

double milliseconds_with_delays_in(const std::string& role) {
  isa::CheckMailbox* mailbox = isa::host_check_mailbox();
  role.copy(mailbox->delayed_role, role.size());
  mailbox->delayed_role[role.size()] = 0;
  mailbox->delay_seed = 1;
  mailbox->delay_nanoseconds = 1'000'000;
  const auto start = std::chrono::steady_clock::now();
  launch<PhasesKernel>(Stream{}, {1, 1, 1}, {});
  synchronize(Stream{});
  mailbox->delay_nanoseconds = 0;
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

TEST_CASE("the role that the host names is delayed, and no other") {
  if (!checked) {
    SKIP("delays are injected only in builds with WARPLINE_CHECKED");
  }
  milliseconds_with_delays_in("nobody");  // loads the kernel
  // A quarter of 64 waits, half a millisecond each on average.
  CHECK(milliseconds_with_delays_in("consumer") > 2);
  CHECK(milliseconds_with_delays_in("nobody") < 1);
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
