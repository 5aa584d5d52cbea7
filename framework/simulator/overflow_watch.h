// Names the overflow of a fiber's stack, which would be a bare segmentation fault. Internal.
#pragma once

namespace warpline::simulator {

/// While one exists, a fault in the guard page below a fiber's stack is explained on standard error
/// before the process dies of it. Other faults go where they went before.
class OverflowWatch {
 public:
  OverflowWatch();
  OverflowWatch(const OverflowWatch&) = delete;
  OverflowWatch& operator=(const OverflowWatch&) = delete;
  ~OverflowWatch();
};

}  // namespace warpline::simulator
