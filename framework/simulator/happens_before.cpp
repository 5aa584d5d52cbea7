#include "simulator/happens_before.h"

#include <string>

#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

/// What was touched; put into words only when there is something to report.
struct Place {
  const Cta* cta = nullptr;
  std::uint32_t offset = 0;
  std::string text() const {
    return cta != nullptr ? describe_place(*cta, offset) : "global memory";
  }
  int stage() const { return cta != nullptr ? stage_of(*cta, offset) : -1; }
};

const char* describe_party(Party party, bool write) {
  switch (party) {
    case Party::ordinary:
      return write ? "an ordinary write" : "an ordinary read";
    case Party::atomic:
      return write ? "an atomic write" : "an atomic read";
    case Party::load:
      return write ? "a copy" : "a copy's read";
    case Party::store:
      return write ? "a store" : "a store's read";
    case Party::multiply:
      return "a multiply's read";
    case Party::remote_store:
      return "a store by a peer CTA";
  }
  return "?";
}

bool is_ordinary(Party party) { return party == Party::ordinary || party == Party::atomic; }

/// st.async writes through the generic proxy, as its thread would; only its time is its own.
bool needs_no_fence(Party party) { return is_ordinary(party) || party == Party::remote_store; }

/// What to do about an access that comes too early after `earlier`.
const char* cure(Party earlier, bool earlier_write, Party now, bool shared) {
  switch (earlier) {
    case Party::multiply:
      return "the stage was handed on before the wait that covers the multiply (release_after)";
    case Party::store:
      return earlier_write ? "wait until the store is complete (wait_until_written)"
                           : "wait until the store has read its buffer (wait_until_read)";
    case Party::remote_store:
      return "wait for the barrier that counts the store's bytes first";
    case Party::load:
      return earlier_write ? "wait for the barrier that counts the copy's bytes first"
                           : "wait for the copy first";
    case Party::ordinary:
    case Party::atomic:
      if (needs_no_fence(now)) {
        return "a barrier or a hand-over is due between the two";
      }
      return shared ? "a hand-over (fence_proxy_async_shared, then a barrier) is due"
                    : "fence_proxy_async_global, then a barrier, is due";
  }
  return "";
}

const Rule& rule_of(Party earlier, bool earlier_write, const Attempt& now) {
  switch (earlier) {
    case Party::multiply:
      return rules::stage_in_multiply;
    case Party::store:
      return earlier_write ? rules::store_not_complete : rules::store_buffer_rewritten;
    case Party::remote_store:
      return rules::copy_not_awaited;
    case Party::load:
      return earlier_write ? rules::copy_not_awaited : rules::overwritten_by_load;
    case Party::ordinary:
    case Party::atomic:
      break;
  }
  switch (now.party) {
    case Party::load:
    case Party::remote_store:
      return rules::overwritten_by_load;
    case Party::store:
      return rules::stored_too_early;
    case Party::multiply:
      return rules::multiply_too_early;
    case Party::ordinary:
    case Party::atomic:
      break;
  }
  return rules::data_race;
}

[[noreturn]] void conflict(const Rule& rule, const Access& earlier, bool earlier_write,
                           const Attempt& now, const Place& place) {
  Machine& m = machine();
  const Culprit other = culprit_of(m.sites[earlier.site]);
  m.fault(rule,
          std::string(now.what) + (now.write ? " writes " : " reads ") + place.text() +
              ", and nothing orders it after " + describe_party(earlier.party, earlier_write) +
              " of the same bytes by " + other.text(),
          {.other = other,
           .stage = place.stage(),
           .cure = cure(earlier.party, earlier_write, now.party, place.cta != nullptr)});
}

/// What `thread` knows of the cluster that made an access, and of its accesses' proxy fences.
struct Known {
  const VectorClock* all;
  const VectorClock* fenced;
};

Known known_of(const Thread& thread, std::uint32_t cluster, const VectorClock& fenced) {
  static const ClusterKnowledge nothing;
  const Knowledge& mine = thread.knowledge;
  if (cluster == thread.cta->cluster->serial) {
    return {&mine.all, &fenced};
  }
  const auto found = mine.others.find(cluster);
  const ClusterKnowledge& known = found != mine.others.end() ? found->second : nothing;
  return {&known.all, &known.fenced_global};
}

void check_order(const Access& earlier, bool earlier_write, const Attempt& now,
                 const VectorClock& own_fenced, const Place& place) {
  Machine& m = machine();
  if (earlier.party == Party::atomic && now.party == Party::atomic) {
    return;
  }
  const bool same_cluster = earlier.cluster == now.thread->cta->cluster->serial;
  const auto [known, fenced] = known_of(*now.thread, earlier.cluster, own_fenced);
  const auto refuse = [&](const Rule& rule) {
    conflict(same_cluster ? rule : rules::cluster_race, earlier, earlier_write, now, place);
  };
  if (!is_ordinary(earlier.party)) {
    if (!earlier.completion->known_to(*known, false)) {
      refuse(rule_of(earlier.party, earlier_write, now));
    }
    if (m.options.strict && !earlier.completion->known_to(*known, true)) {
      refuse(rules::release_for_warpgroup);
    }
    return;
  }
  if (!needs_no_fence(now.party) && (*fenced)[earlier.actor] >= earlier.count) {
    return;
  }
  if ((*known)[earlier.actor] < earlier.count) {
    refuse(rule_of(earlier.party, earlier_write, now));
  }
  if (!needs_no_fence(now.party)) {
    const Culprit other = culprit_of(m.sites[earlier.site]);
    m.fault(earlier_write ? rules::proxy_fence_after_write : rules::proxy_fence_after_read,
            std::string(now.what) + (now.write ? " writes " : " reads ") + place.text() +
                " after " + describe_party(earlier.party, earlier_write) + " by " + other.text() +
                ", but no proxy fence stands between",
            {.other = other,
             .stage = place.stage(),
             .cure = std::string(place.cta != nullptr ? "fence_proxy_async_shared()"
                                                      : "fence_proxy_async_global()") +
                     " by the thread of the ordinary access, then a synchronisation"});
  }
}

void check_chunk(const Chunk& chunk, std::uint16_t bytes, const Attempt& now,
                 const VectorClock& fenced, const Place& place) {
  for (const Access& write : chunk.writes) {
    if ((write.bytes & bytes) != 0) {
      check_order(write, true, now, fenced, place);
    }
  }
  if (now.write) {
    for (const Access& read : chunk.reads) {
      if ((read.bytes & bytes) != 0) {
        check_order(read, false, now, fenced, place);
      }
    }
  }
}

/// Calls visit(chunk index, mask of its bytes) for the chunks of [begin, begin + bytes).
template <class Visit>
void for_each_mask(std::uintptr_t begin, std::uint32_t bytes, Visit visit) {
  const std::uintptr_t end = begin + bytes;
  for (std::uintptr_t at = begin / 16; at * 16 < end; ++at) {
    const std::uintptr_t from = at * 16 < begin ? begin - at * 16 : 0;
    const std::uintptr_t to = end - at * 16 < 16 ? end - at * 16 : 16;
    visit(at, static_cast<std::uint16_t>((0xffffu >> (16 - (to - from))) << from));
  }
}

/// The barrier that lives in a chunk.
struct BarrierThere {
  std::string text = "an mbarrier in use";
  std::optional<Culprit> initialiser = {};
};
/// Of the bytes `mask` of a chunk.
BarrierThere barrier_in(const Cta& cta, std::uintptr_t chunk, std::uint16_t mask) {
  for (const std::uintptr_t at : {chunk, chunk + 8}) {
    if ((mask & 0xff << (at - chunk)) == 0) {
      continue;
    }
    const auto found = cta.mbarriers.find(static_cast<std::uint32_t>(at));
    if (found != cta.mbarriers.end()) {
      return {.text = "an mbarrier in use, " + describe_barrier(cta, found->first),
              .initialiser = culprit_of(machine().sites[found->second.init_site])};
    }
  }
  return {};
}

Access access_of(const Attempt& attempt, std::uint16_t bytes) {
  const Thread& thread = *attempt.thread;
  return {.party = attempt.party,
          .bytes = bytes,
          .actor = thread.actor,
          .count = thread.knowledge.all[thread.actor],
          .completion = attempt.completion,
          .site = machine().site_of(*attempt.thread),
          .cluster = thread.cta->cluster->serial};
}

void note_chunk(Chunk& chunk, const Attempt& attempt, const Access& access) {
  if (attempt.write) {
    note_write(chunk, access);
  } else {
    note_read(chunk, access);
  }
}

}  // namespace

void check_shared(Cta& cta, std::uint32_t begin, std::uint32_t bytes, const Attempt& attempt) {
  Machine& m = machine();
  const VectorClock& fenced = attempt.thread->knowledge.fenced;
  for_each_mask(begin, bytes, [&](std::uintptr_t index, std::uint16_t mask) {
    const Chunk& chunk = cta.memory.chunks()[index];
    const Place place{&cta, static_cast<std::uint32_t>(index * 16)};
    if ((chunk.barriers & mask) != 0 && attempt.write) {
      const BarrierThere there =
          barrier_in(cta, index * 16, static_cast<std::uint16_t>(chunk.barriers & mask));
      m.fault(rules::barrier_overwritten, std::string(attempt.what) + " overwrites " + there.text,
              {.other = there.initialiser, .cure = "invalidate it first"});
    }
    if (!attempt.write && (chunk.written & mask) != mask) {
      m.fault(rules::uninitialised_read,
              std::string(attempt.what) + " reads " + place.text() + ", which nobody has written",
              {.stage = place.stage(), .cure = "fill all of it, and wait until it is filled"});
    }
    check_chunk(chunk, mask, attempt, fenced, place);
  });
}

void note_shared(Cta& cta, std::uint32_t begin, std::uint32_t bytes, const Attempt& attempt) {
  Access access = access_of(attempt, 0);
  for_each_mask(begin, bytes, [&](std::uintptr_t index, std::uint16_t mask) {
    access.bytes = mask;
    note_chunk(cta.memory.chunks()[index], attempt, access);
  });
}

void access_global(const void* begin, std::uint32_t bytes, const Attempt& attempt) {
  Machine& m = machine();
  // Inputs are read by many CTAs and never written: what is kept of readers is bounded.
  constexpr std::size_t kept_reads = 16;
  const VectorClock& fenced = attempt.thread->knowledge.fenced_global;
  Access access = access_of(attempt, 0);
  for_each_mask(reinterpret_cast<std::uintptr_t>(begin), bytes,
                [&](std::uintptr_t index, std::uint16_t mask) {
                  Chunk& chunk = m.global_memory[index];
                  check_chunk(chunk, mask, attempt, fenced, Place{});
                  access.bytes = mask;
                  if (!attempt.write && chunk.reads.size() >= kept_reads) {
                    chunk.reads.erase(chunk.reads.begin());
                  }
                  note_chunk(chunk, attempt, access);
                });
}

void release_into(Thread& thread, Knowledge& knowledge) {
  knowledge.join(thread.knowledge);
  // What this thread does from now on is not part of what was released.
  thread.knowledge.all.raise(thread.actor, thread.knowledge.all[thread.actor] + 1);
}

void acquire_from(Thread& thread, const Knowledge& knowledge) { thread.knowledge.join(knowledge); }

}  // namespace warpline::simulator
