// A thread of the simulated GPU as a fiber: a stack of its own and a place where it stopped.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace warpline::simulator {

/// Stacks with a guard page below, reused from one simulation to the next.
class StackPool {
 public:
  static constexpr std::size_t stack_bytes =
#if defined(__SANITIZE_ADDRESS__)
      std::size_t{512} << 10;
#else
      std::size_t{128} << 10;
#endif
  /// Outlives every simulation of this OS thread, so that fibers left in the middle by a fault can
  /// still give back.
  static StackPool& of_this_thread();

  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();
  void* take();
  void give(void* stack);
  /// Whether this is in the guard page of one of the stacks.
  bool guards(const void* address) const;

 private:
  std::vector<void*> all_;
  std::vector<void*> free_;
};

/// A fiber whose function may be left in the middle: kernels own nothing that needs destroying, so
/// a simulation that found a fault just stops and takes the stacks back.
class Fiber {
 public:
  Fiber(StackPool& pool, std::function<void()> function);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// Runs the fiber until it pauses or ends. Called from outside any fiber.
  void resume();

  /// Called inside the fiber: goes back to whoever resumed it.
  void pause();

  /// Called inside the fiber: whether an exception of its function is on its way out.
  bool unwinds() const;

  bool ended() const { return ended_; }

 private:
  struct Context;
  void announce_start();
  StackPool& pool_;
  void* stack_;
  std::function<void()> function_;
  std::unique_ptr<Context> context_;
  bool ended_ = false;
};

}  // namespace warpline::simulator
