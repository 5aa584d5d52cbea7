#include "simulator/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/fiber.hpp>
#include <cstring>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace warpline::simulator {

namespace {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// The exceptions that are thrown or caught right now belong to a stack, not to the OS thread: a
/// fiber that waits in a destructor while it unwinds, or that is left there, must not make others
/// believe that they unwind. (The layout is that of the C++ ABI of Itanium, section 2.2.2.)
struct Exceptions {
  void* caught = nullptr;
  unsigned uncaught = 0;

  /// Of this OS thread, now.
  static Exceptions read(const void* globals) {
    Exceptions now;
    std::memcpy(&now.caught, globals, sizeof now.caught);
    std::memcpy(&now.uncaught, static_cast<const unsigned char*>(globals) + sizeof now.caught,
                sizeof now.uncaught);
    return now;
  }

  /// Makes these the OS thread's, and keeps what it had.
  void swap(void* globals) {
    const Exceptions before = read(globals);
    std::memcpy(globals, &caught, sizeof caught);
    std::memcpy(static_cast<unsigned char*>(globals) + sizeof caught, &uncaught, sizeof uncaught);
    *this = before;
  }
};

/// Boost asks for the stack's memory here; it belongs to the pool, so nothing is given back.
struct PooledStack {
  void* base;
  boost::context::stack_context allocate() const {
    boost::context::stack_context context;
    context.size = StackPool::stack_bytes;
    context.sp = static_cast<char*>(base) + StackPool::stack_bytes;
    return context;
  }
  void deallocate(boost::context::stack_context&) const noexcept {}
};

}  // namespace

StackPool& StackPool::of_this_thread() {
  static thread_local StackPool pool;
  return pool;
}

StackPool::~StackPool() {
  for (void* stack : all_) {
    munmap(static_cast<char*>(stack) - page_bytes(), stack_bytes + page_bytes());
  }
}

void* StackPool::take() {
  if (free_.empty()) {
    void* memory = mmap(nullptr, stack_bytes + page_bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      throw std::bad_alloc();
    }
    // Stacks grow down into the guard page.
    mprotect(memory, page_bytes(), PROT_NONE);
    all_.push_back(static_cast<char*>(memory) + page_bytes());
    free_.push_back(all_.back());
  }
  void* stack = free_.back();
  free_.pop_back();
#if defined(__SANITIZE_ADDRESS__)
  // Frames that were left in the middle are still poisoned.
  __asan_unpoison_memory_region(stack, stack_bytes);
#endif
  return stack;
}

void StackPool::give(void* stack) { free_.push_back(stack); }

bool StackPool::guards(const void* address) const {
  const auto* const at = static_cast<const char*>(address);
  for (void* const stack : all_) {
    const auto* const bottom = static_cast<const char*>(stack);
    if (at < bottom && at >= bottom - page_bytes()) {
      return true;
    }
  }
  return false;
}

struct Fiber::Context {
  // In a union: a fiber left in the middle must not be unwound by Boost's destructor.
  union {
    boost::context::fiber inside;
  };
  boost::context::fiber outside;
  /// Of the OS thread, which a fiber does not leave.
  void* const globals = abi::__cxa_get_globals();
  Exceptions exceptions;  ///< the fiber's while it is outside, the OS thread's while inside
#if defined(__SANITIZE_ADDRESS__)
  void* outside_fake_stack = nullptr;
  const void* outside_stack = nullptr;
  std::size_t outside_bytes = 0;
  void* inside_fake_stack = nullptr;
#endif
  Context() {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {}
};

Fiber::Fiber(StackPool& pool, std::function<void()> function)
    : pool_(pool),
      stack_(pool.take()),
      function_(std::move(function)),
      context_(std::make_unique<Context>()) {
  new (&context_->inside) boost::context::fiber(
      std::allocator_arg, PooledStack{stack_}, [this](boost::context::fiber&& outside) {
        context_->outside = std::move(outside);
        announce_start();
        function_();
        ended_ = true;
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_start_switch_fiber(nullptr, context_->outside_stack, context_->outside_bytes);
#endif
        return std::move(context_->outside);
      });
}

Fiber::~Fiber() { pool_.give(stack_); }

void Fiber::announce_start() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &context_->outside_stack, &context_->outside_bytes);
#endif
}

void Fiber::resume() {
  context_->exceptions.swap(context_->globals);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&context_->outside_fake_stack, stack_, StackPool::stack_bytes);
#endif
  boost::context::fiber inside = std::move(context_->inside).resume();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(context_->outside_fake_stack, nullptr, nullptr);
#endif
  context_->exceptions.swap(context_->globals);
  // Keeps Boost's handle where its destructor does not run.
  new (&context_->inside) boost::context::fiber(std::move(inside));
}

bool Fiber::unwinds() const { return Exceptions::read(context_->globals).uncaught != 0; }

void Fiber::pause() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&context_->inside_fake_stack, context_->outside_stack,
                                 context_->outside_bytes);
#endif
  context_->outside = std::move(context_->outside).resume();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(context_->inside_fake_stack, &context_->outside_stack,
                                  &context_->outside_bytes);
#endif
}

}  // namespace warpline::simulator
