// What the simulator's reports need to know about the running thread. No code on the GPU.
#pragma once

#include "warpline/isa/simulated.h"

namespace warpline::inline WARPLINE_TARGET::isa {

/// What reports call this part of shared memory. An operand of wgmma that starts in it must stay in
/// it.
WARPLINE_DEVICE void name_region(const void* begin, unsigned bytes, const char* name, int index) {
#if WARPLINE_ON_GPU
  (void)begin, (void)bytes, (void)name, (void)index;
#else
  simulator::name_region(begin, bytes, name, index);
#endif
}

/// A slot that is used although its stage was handed on, or never taken: named where it happens.
WARPLINE_DEVICE void require_open(bool open, int stage, SourceLine where) {
#if WARPLINE_ON_GPU
  (void)open, (void)stage, (void)where;
#else
  if (!open) {
    at_line(where);
    simulator::use_of_closed_slot(stage);
  }
#endif
}

/// A rule for a value known at run time only; checked on the simulator.
WARPLINE_DEVICE void require_slice(bool kept, const char* rule) {
#if WARPLINE_ON_GPU
  (void)kept, (void)rule;
#else
  if (!kept) {
    simulator::bad_slice(rule);
  }
#endif
}

/// An accumulator's register is about to be read: no multiply may be using it.
WARPLINE_DEVICE void accumulator_read(const float& value) {
#if WARPLINE_ON_GPU
  (void)value;
#else
  simulator::accumulator_read(&value);
#endif
}

/// The role that this thread has taken.
WARPLINE_DEVICE void enter_role(const char* name) {
#if WARPLINE_ON_GPU
  (void)name;
#else
  simulator::enter_role(name);
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET::isa
