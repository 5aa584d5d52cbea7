// What warpline::matmul asks of a target: its kernels, and its memory. Host code; knows neither.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "matmul/line.h"
#include "tensor/place.h"

namespace warpline {

struct MatmulTarget {
  const char* name;
  const std::vector<MatmulLine>& (*lines)();
  /// Throws Error if nothing can be queued at the place.
  int (*device_of)(const Place&);
  /// The same without looking at the device itself: for every launch.
  int (*queueing_device)(const Place&);
  /// Of the current device.
  int (*multiprocessors)();
  /// Throws Error, `name` in it, unless kernels on the device reach the address.
  void (*require_memory)(int device, const void* address, const std::string& name);
  /// Zeros for every place; released when nothing uses them any more.
  void* (*allocate)(std::size_t bytes);
  void (*release)(void*);
  /// Zeros for what is queued at the place afterwards; released after what was queued before.
  void* (*allocate_at)(const Place&, std::size_t bytes);
  void (*release_at)(const Place&, void*);
};

/// Throws Error if the program is linked without the place's kernels.
const MatmulTarget& matmul_target(const Place& place);
std::vector<const MatmulTarget*> linked_matmul_targets();

}  // namespace warpline

/// Defined by warpline_matmul_gpu and warpline_matmul_simulator. Their users are linked with
/// `-u` for them (kernels/CMakeLists.txt): the host side is one library, whichever of them there
/// are.
extern "C" const warpline::MatmulTarget* warpline_matmul_gpu_target();
extern "C" const warpline::MatmulTarget* warpline_matmul_simulator_target();
