// Host work on all cores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

namespace sample {

/// Calls body(begin, end) for ranges that together are [0, count), at once on several threads.
/// Whatever a body throws is thrown here.
template <class Body>
void in_parallel(std::int64_t count, const Body& body) {
  const std::int64_t threads = std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1,
                                                        std::max<std::int64_t>(count, 1));
  std::vector<std::future<void>> parts;
  for (std::int64_t i = 0; i < threads; ++i) {
    parts.push_back(std::async(std::launch::async, [&body, i, threads, count] {
      body(count * i / threads, count * (i + 1) / threads);
    }));
  }
  for (std::future<void>& part : parts) {
    part.get();
  }
}

}  // namespace sample
