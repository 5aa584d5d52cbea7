// What one step of a simulation synchronises with: the basis of partial-order reduction. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpline::simulator {

/// Things by which processes (warps, copies, multiplies) can influence each other. Accesses to
/// memory are not among them: where nothing else orders them they are races, and those are found by
/// happens-before whatever the order (happens_before.h).
enum class ObjectType : std::uint8_t {
  mbarrier,
  cta_lifetime,
  named_barrier,
  cluster_barrier,
  wgmma_issue,
  wgmma_done,
  bulk_read,
  bulk_write,
  copy_issue,
  registers,
  atomic,
};

/// One synchronisation.
struct Touch {
  enum class Kind : std::uint8_t {
    arrive,     ///< counts towards the end of `phase`
    wait,       ///< could go on because `phase` phases have ended
    exclusive,  ///< reads or changes what any other touch changes
  };
  std::uint64_t object = 0;
  std::uint64_t phase = 0;
  Kind kind = Kind::exclusive;

  bool operator==(const Touch&) const = default;
};

constexpr std::uint64_t object_of(ObjectType type, std::uint64_t owner, std::uint64_t name,
                                  std::uint64_t number = 0) {
  std::uint64_t hash = static_cast<std::uint64_t>(type) + 1;
  for (const std::uint64_t part : {owner, name, number}) {
    hash = (hash ^ (part + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2))) * 0xbf58476d1ce4e5b9;
    hash ^= hash >> 29;
  }
  return hash;
}

enum class Relation : std::uint8_t {
  independent,  ///< the same state, whatever the order
  ordered,      ///< the later one had to wait for the earlier one
  racing,       ///< the order makes a difference, and could be the other one
};

/// Of an earlier and a later touch. Arrivals in one phase commute: the phase ends with the last of
/// them, and passes on what all of them knew.
constexpr Relation relation(const Touch& earlier, const Touch& later) {
  using Kind = Touch::Kind;
  if (earlier.object != later.object) {
    return Relation::independent;
  }
  if (earlier.kind == Kind::exclusive || later.kind == Kind::exclusive) {
    return Relation::racing;
  }
  if (earlier.kind == Kind::wait && later.kind == Kind::wait) {
    return Relation::independent;
  }
  if (earlier.kind == Kind::arrive && later.kind == Kind::arrive) {
    return earlier.phase == later.phase ? Relation::independent : Relation::racing;
  }
  if (earlier.kind == Kind::arrive && earlier.phase < later.phase) {
    return Relation::ordered;
  }
  return Relation::racing;
}

using Footprint = std::vector<Touch>;

inline Relation relation(const Footprint& earlier, const Footprint& later) {
  Relation strongest = Relation::independent;
  for (const Touch& a : earlier) {
    for (const Touch& b : later) {
      strongest = std::max(strongest, relation(a, b));
    }
  }
  return strongest;
}

}  // namespace warpline::simulator
