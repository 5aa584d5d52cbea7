// Who touched which bytes, and whether one access was ordered before another. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "simulator/vector_clock.h"

namespace warpline::simulator {

/// Where in the user's code an access comes from.
struct Site {
  const char* role = "";
  const char* file = "";
  unsigned line = 0;
  unsigned cta = 0;
  unsigned warp = 0;
  bool operator==(const Site&) const = default;
};

struct SiteHash {
  std::size_t operator()(const Site& site) const {
    // A kernel has few roles and files: their addresses, and the numbers, tell enough apart.
    const auto mixed = (std::uint64_t{site.cta} << 32 | std::uint64_t{site.warp} << 24) ^
                       std::uint64_t{site.line} ^ reinterpret_cast<std::uintptr_t>(site.role) ^
                       reinterpret_cast<std::uintptr_t>(site.file) << 8;
    return static_cast<std::size_t>(mixed * 0x9e3779b97f4a7c15u >> 20);
  }
};

enum class Party : std::uint8_t { ordinary, atomic, load, store, multiply, remote_store };

/// When an agent's access is over, for those who have learned of it: once their clock of one of
/// `actors` has reached `count`. Zero while under way.
struct Completion {
  std::uint32_t actors[4] = {};
  int actor_count = 0;
  std::uint32_t count = 0;

  /// One actor's word is enough (vendor practice: one arrival speaks for a warpgroup); `strictly`,
  /// all must be known.
  bool known_to(const VectorClock& clock, bool strictly) const {
    if (count == 0) {
      return false;
    }
    int known = 0;
    for (int i = 0; i < actor_count; ++i) {
      known += clock[actors[i]] >= count ? 1 : 0;
    }
    return strictly ? known == actor_count : known > 0;
  }
};

/// One access to some of a chunk's 16 bytes.
struct Access {
  Party party = Party::ordinary;
  std::uint16_t bytes = 0;                 ///< bit mask
  std::uint32_t actor = 0;                 ///< ordinary: the thread's actor ...
  std::uint32_t count = 0;                 ///< ... and its clock then
  const Completion* completion = nullptr;  ///< agents
  std::uint32_t site = 0;
  std::uint32_t cluster = 0;  ///< serial number; only global memory is shared by clusters
};

/// The accesses to one chunk that later ones may conflict with: the last write of each byte, and
/// the reads since.
struct Chunk {
  std::vector<Access> writes;
  std::vector<Access> reads;
  std::uint16_t written = 0;
  std::uint16_t barriers = 0;      ///< bytes of mbarriers in use
  std::uint16_t swizzle_span = 0;  ///< of the tensor load that wrote it; 0: written otherwise
};

/// Adds `access` to the chunk. A write makes earlier accesses to the same bytes history.
inline void note_read(Chunk& chunk, const Access& access) {
  // A thread that reads again replaces its earlier read: the later one is ordered after it. The
  // multiplies of one warpgroup are in order, too.
  const auto supersedes = [&](const Access& read) {
    if (read.party != access.party || read.bytes != access.bytes ||
        read.cluster != access.cluster) {
      return false;
    }
    switch (access.party) {
      case Party::ordinary:
      case Party::atomic:
        return read.actor == access.actor;
      case Party::multiply:
        return read.completion->actors[0] == access.completion->actors[0];
      case Party::load:
      case Party::store:
      case Party::remote_store:
        return false;
    }
    return false;
  };
  for (Access& read : chunk.reads) {
    if (supersedes(read)) {
      read = access;
      return;
    }
  }
  chunk.reads.push_back(access);
}

inline void note_write(Chunk& chunk, const Access& access) {
  const auto forget = [&](std::vector<Access>& accesses) {
    std::erase_if(accesses, [&](Access& old) {
      old.bytes = static_cast<std::uint16_t>(old.bytes & ~access.bytes);
      return old.bytes == 0;
    });
  };
  chunk.swizzle_span = 0;
  forget(chunk.writes);
  forget(chunk.reads);
  chunk.writes.push_back(access);
  chunk.written = static_cast<std::uint16_t>(chunk.written | access.bytes);
}

}  // namespace warpline::simulator
