// The happens-before checks: every access to shared and global memory is held against those before
// it. Internal.
#pragma once

#include <cstdint>

#include "simulator/access_history.h"
#include "simulator/options.h"

namespace warpline::simulator {

struct Cta;
struct Thread;
class Machine;

/// An access about to happen: by `thread` itself, or by an agent on its behalf.
struct Attempt {
  Thread* thread;
  Party party;
  bool write;
  const char* what;  ///< "an ordinary read", "a tensor load", ...
  const Completion* completion = nullptr;
};

/// Bytes [begin, begin + bytes) of a CTA's shared memory. Faults if nothing orders the access after
/// an earlier one that it conflicts with, or if it reads what nobody wrote.
void check_shared(Cta& cta, std::uint32_t begin, std::uint32_t bytes, const Attempt& attempt);
void note_shared(Cta& cta, std::uint32_t begin, std::uint32_t bytes, const Attempt& attempt);

/// The same for global memory. What the host wrote before the launch counts as written.
void access_global(const void* begin, std::uint32_t bytes, const Attempt& attempt);

/// This thread's past becomes part of `knowledge` (an arrival), and the other way round (a wait
/// that returns).
void release_into(Thread& thread, Knowledge& knowledge);
void acquire_from(Thread& thread, const Knowledge& knowledge);

}  // namespace warpline::simulator
