#include "simulator/overflow_watch.h"

#include "simulator/fiber.h"

// AddressSanitizer names it, too.
#if defined(__SANITIZE_ADDRESS__)

namespace warpline::simulator {

OverflowWatch::OverflowWatch() = default;
OverflowWatch::~OverflowWatch() = default;

}  // namespace warpline::simulator

#else

#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <memory>
#include <mutex>

namespace warpline::simulator {

namespace {

std::mutex mutex;
int watches = 0;
struct sigaction before = {};

/// The overflowed stack cannot take the handler: it needs one of its own, for each OS thread.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t current = {};
    sigaltstack(nullptr, &current);
    if ((current.ss_flags & SS_DISABLE) == 0) {
      return;  // somebody has given this thread one
    }
    memory_ = std::make_unique<char[]>(bytes);
    stack_t mine = {};
    mine.ss_sp = memory_.get();
    mine.ss_size = bytes;
    sigaltstack(&mine, nullptr);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;
  ~HandlerStack() {
    if (memory_ != nullptr) {
      stack_t none = {};
      none.ss_flags = SS_DISABLE;
      sigaltstack(&none, nullptr);
    }
  }

 private:
  static constexpr std::size_t bytes = std::size_t{64} << 10;
  std::unique_ptr<char[]> memory_;
};

void explain(int signal, siginfo_t* info, void* /*context*/) {
  if (StackPool::of_this_thread().guards(info->si_addr)) {
    static constexpr char text[] =
        "warpline simulator: a thread of the kernel overflowed its stack of 128 KB: keep large "
        "arrays in shared memory, and do not recurse\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof text - 1);
  }
  // The instruction runs again, and faults for whoever had the signal before.
  sigaction(signal, &before, nullptr);
}

}  // namespace

OverflowWatch::OverflowWatch() {
  static thread_local const HandlerStack stack;
  const std::lock_guard lock(mutex);
  if (watches++ == 0) {
    struct sigaction mine = {};
    mine.sa_sigaction = explain;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &mine, &before);
  }
}

OverflowWatch::~OverflowWatch() {
  const std::lock_guard lock(mutex);
  if (--watches == 0) {
    sigaction(SIGSEGV, &before, nullptr);
  }
}

}  // namespace warpline::simulator

#endif
