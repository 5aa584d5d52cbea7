// What a kernel does to the process: exceptions that unwind through the ends of a ring, and stacks
// that overflow.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <stdexcept>
#include <string>

#include "tests/support/device_array.h"
#include "tests/support/faults.h"
#include "warpline/pipeline.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

struct Loader {
  static constexpr RoleConfig config{.name = "loader", .warps = 1};
};
struct Reader {
  static constexpr RoleConfig config{.name = "reader", .warps = 1};
};
struct Stage {
  SharedArray<int32_t, 32> row;
};

/// Throws where `who` says, in the middle of its loop over the ring.
struct ThrowingKernel {
  using Roles = RoleList<Loader, Reader>;
  using Ring =
      Pipeline<Stage, PipelineConfig{.stages = 2}, FilledByCopies<Loader>, ReadByThreads<Reader>>;
  struct Arguments {
    const int32_t* in;
    int who;
  };
  using SharedMemory = Ring::Storage;
  static constexpr LaunchConfig launch{.name = "throwing"};

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    Ring ring(shared);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Loader>& group) {
          auto end = ring.producer(group);
          int turn = 0;
          for (auto slot : end.fill(6)) {
            slot.load(slot->row, args.in);
            if (args.who == 0 && ++turn == 4) {
              throw std::out_of_range("thrown by the loader");
            }
          }
        },
        [&](const ThreadGroup<Roles, Reader>& group) {
          auto end = ring.consumer(group);
          int turn = 0;
          for (auto slot : end.read(6)) {
            if (args.who == 1 && ++turn == 2 && group.thread_rank() == 5) {
              throw std::out_of_range("thrown by the reader");
            }
            (void)slot->row.load(0);
          }
        });
  }
};

TEST_CASE("an exception unwinds through ring ends and reaches the caller, whoever throws it") {
  const DeviceArray<int32_t> in(std::vector<int32_t>(32));
  for (const int who : {0, 1}) {
    with_schedules(every_policy, 10, [&](const simulator::Options& options) {
      CHECK_THROWS_AS(
          launch<ThrowingKernel>(Stream{.options = options}, {1, 1, 1}, {in.data(), who}),
          std::out_of_range);
      CHECK(std::uncaught_exceptions() == 0);
      CHECK_NOTHROW(launch<ThrowingKernel>(Stream{.options = options}, {1, 1, 1}, {in.data(), 2}));
    });
  }
}

// AddressSanitizer names an overflow itself.
#if !defined(__SANITIZE_ADDRESS__)
/// Fills its stack.
int recurse(int depth) {
  volatile char frame[1024] = {};
  frame[depth % 1024] = static_cast<char>(depth);
  return depth == 0 ? 0 : recurse(depth - 1) + frame[depth % 512];
}

void overflow() {
  simulator::simulate({.kernel = "deep"}, {}, [](void*) { (void)recurse(1000); });
}

TEST_CASE("a kernel that overflows its stack is told so before the process dies") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    dup2(ends[1], STDERR_FILENO);
    overflow();
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char buffer[256];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
    said.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGSEGV);
  CHECK_THAT(said, Catch::Matchers::ContainsSubstring("overflowed its stack of 128 KB"));
}
#endif

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
