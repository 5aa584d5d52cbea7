#include "simulator/virtual_clock.h"

#include <algorithm>

namespace warpline::simulator {

namespace {

/// Bandwidths are no whole numbers of cycles per byte: servers count in 1/256 of a cycle.
constexpr std::uint64_t fraction = 256;

/// A server of `bytes_per_cycle` takes `bytes` once it is free; returns when it is done.
std::uint64_t serve(std::uint64_t& free_256ths, double bytes_per_cycle, std::uint32_t bytes,
                    std::uint64_t from) {
  const auto cost =
      static_cast<std::uint64_t>(static_cast<double>(bytes) * fraction / bytes_per_cycle);
  free_256ths = std::max(free_256ths, from * fraction) + cost;
  return (free_256ths + fraction - 1) / fraction;
}

}  // namespace

std::uint64_t VirtualClock::cycles_of_multiply(int columns, bool a_in_registers) {
  // 64 x columns x 16 multiply-adds at 2048 per cycle and SM; but operands in shared memory are
  // read at 128 bytes per cycle: 16 deep, 64 rows of A and `columns` rows of B.
  const int math = columns / 2;
  const int reads = ((a_in_registers ? 0 : 64 * 16 * 2) + columns * 16 * 2) / 128;
  return static_cast<std::uint64_t>(std::max(math, reads));
}

std::uint64_t VirtualClock::multiply(unsigned sm, int columns, bool a_in_registers,
                                     std::uint64_t now, std::uint64_t& done) {
  Engines& engines = engines_[sm];
  const std::uint64_t begin = std::max(engines.tensor_free, now);
  engines.tensor_free = begin + cycles_of_multiply(columns, a_in_registers);
  done = engines.tensor_free;
  return begin;
}

std::uint64_t VirtualClock::load(unsigned sm, std::uint64_t source, std::uint32_t bytes,
                                 std::uint64_t now) {
  std::uint64_t arrives = now + costs_.load_latency;
  if (seen_.insert(source).second && fresh_++ % costs_.l2_reuse == 0) {
    // Of the chip's memory bandwidth these multiprocessors have their share.
    const double share = costs_.dram_bytes_per_cycle * static_cast<double>(engines_.size());
    arrives = std::max(arrives + costs_.dram_latency,
                       serve(dram_free_256ths_, share, bytes, now) + costs_.load_latency);
  }
  return serve(engines_[sm].in_free_256ths, costs_.load_bytes_per_cycle, bytes, arrives);
}

std::uint64_t VirtualClock::store_read(unsigned sm, std::uint32_t bytes, std::uint64_t now) {
  return serve(engines_[sm].out_free_256ths, costs_.store_bytes_per_cycle, bytes,
               now + costs_.store_issue);
}

std::uint64_t VirtualClock::write_through(unsigned sm, std::uint32_t bytes, std::uint64_t now) {
  // The queue to L2 is deep: a warp waits only for what is ahead of the queue's depth.
  const std::uint64_t out =
      serve(engines_[sm].out_free_256ths, costs_.store_bytes_per_cycle, bytes, now);
  return out > now + costs_.store_queue ? out - costs_.store_queue : now;
}

}  // namespace warpline::simulator
