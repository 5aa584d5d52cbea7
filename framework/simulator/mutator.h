// What happens to a running kernel's instructions under mutation: they are recorded, and one of
// them is changed. Internal; simulator/mutation.h is the public face.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/instructions.h"
#include "simulator/mutation.h"

namespace warpline::simulator {

struct Cta;
struct Thread;
class Machine;

/// One execution of an instruction: all that it takes to run it, at once or later.
struct Call {
  Instruction instruction;
  void* barrier = nullptr;
  unsigned value = 0;  ///< arrivals, bytes, parity, groups, threads, registers, Space
  unsigned other = 0;  ///< CTA rank, barrier number, direction
};

/// Call::value of an atomic access.
inline constexpr unsigned acquires = 1;
inline constexpr unsigned releases = 2;

/// What a thread does between two instructions.
enum Touches : unsigned {
  touches_shared = 1,
  touches_global = 2,
  issues_copy = 4,
  issues_multiply = 8,
};

/// What a thread has learned or done that others may not know, by the barrier that would tell them:
/// 0 to 15 are the named barriers, then the warp's own meeting.
struct News {
  static constexpr unsigned warp = 16;
  static constexpr unsigned barriers = 17;
  std::uint32_t own = 0;                         ///< bit i: something that barrier i has not told
  std::array<std::uint64_t, barriers> common{};  ///< hash of the phases waited for since barrier i
};

/// A thread's part in a mutation, or in a recording.
struct MutationState {
  bool replaying = false;  ///< an instruction runs on the mutator's behalf
  std::vector<Call> delayed;
  unsigned executions = 0;  ///< of the mutated site
  unsigned touched = 0;     ///< since its last instruction: Touches
  std::optional<std::size_t> last_site;
  News news;
  std::uint32_t initialised = 0;  ///< as News::own, of mbarrier_init
  unsigned unfenced = 0;          ///< Touches since its last proxy fence of that space
  bool global_before = false;     ///< has accessed global memory, or waited for a store to it
  bool fenced_barriers = false;   ///< has come to a fence_mbarrier_init
  std::uint64_t meetings = 0;     ///< that it took part in
  std::array<std::uint32_t, News::barriers> generation{};
  std::map<std::size_t, std::uint64_t> meetings_at;  ///< by site: `meetings` at the last time
};

/// What was seen of a site in runs without mutation.
struct SiteFacts {
  std::uint64_t executions = 0;
  unsigned smallest_value = ~0u;
  unsigned all_values = 0;  ///< bitwise or
  bool increases = false;   ///< setmaxnreg
  /// Times that one thread came to it, at most.
  unsigned largest_count = 0;
  /// Waits that had nothing to wait for: a phase by its initial parity, groups of which there are
  /// not so many yet.
  std::uint64_t vacuous = 0;
  bool first_is_vacuous = true;
  /// Fences and meetings that had nothing to order or to tell.
  std::uint64_t idle = 0;
  /// Some thread took part in no other meeting between two times.
  bool only_meeting = false;
  /// Meetings to which not all threads came with the same phases of mbarriers behind them, or some
  /// with an initialised one.
  bool tells_phases = false;
  bool tells_initialisation = false;
  /// Meetings to which some thread came that had accessed global memory, or waited for a store to
  /// be written.
  bool tells_global = false;
  /// Copies into the CTA's memory came after some thread's last time; loads, stores or multiplies
  /// that touch it after some thread's first.
  bool loads_follow = false;
  bool engines_follow = false;
  /// What a thread came to next (end_of_thread: nothing), and what it touched before.
  std::map<std::size_t, unsigned> next;
  struct Times {
    unsigned count = 0;
    std::uint64_t loads = 0;    ///< into its CTA's memory, at the last time
    std::uint64_t engines = 0;  ///< loads, stores and multiplies on it, at the first time
  };
  /// By launch, CTA and thread.
  std::unordered_map<std::uint64_t, Times> by_thread;

  void merge(const SiteFacts& other);
};

/// What was recorded of a kernel.
struct Recording {
  std::vector<SiteFacts> sites;
  std::uint64_t steps = 0;         ///< of the longest launch
  bool loads_by_unfenced = false;  ///< by threads that had come to no fence_mbarrier_init

  void merge(const Recording& other);
};

inline constexpr std::size_t end_of_thread = ~std::size_t{0};

/// The sites of a kernel, numbered as they are met. The same in all runs of one mutate().
class SiteTable {
 public:
  std::size_t site_of(const Thread& thread, const Call& call);
  const std::vector<MutationSite>& sites() const { return sites_; }

 private:
  /// By address of the strings: the same place may have several, so there is a second map.
  struct Key {
    const void* file;
    const void* role;
    std::uint64_t barrier;
    unsigned line;
    Instruction instruction;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, std::size_t, Hash> known_;
  std::map<std::string, std::size_t> by_text_;
  std::vector<MutationSite> sites_;
};

/// Options::mutator: asked by each instruction before it does anything.
class Mutator {
 public:
  /// Changes nothing, and records.
  explicit Mutator(SiteTable& sites) : sites_(&sites) {}
  /// Carries out `mutant`. `facts` of its site say which execution is a thread's last.
  Mutator(SiteTable& sites, const Mutant& mutant, const SiteFacts& facts)
      : sites_(&sites), mutates_(true), mutant_(mutant), target_facts_(&facts) {}

  void begin_launch();
  /// What the instruction returns instead of being carried out; nothing: it is carried out.
  std::optional<bool> intercept(Machine& machine, const Call& call);
  /// An atomic access, before it is made, and after.
  void weaken(Machine& machine, AtomicAccess& access);
  void end_atomic(Machine& machine);
  /// The thread's function has returned.
  void end_thread(Machine& machine);
  /// The running thread has issued a copy into the memory of `target`.
  void note_load(const Thread& issuer, const Cta& target);
  /// It has issued a store or a multiply that reads the memory of `source`.
  void note_engine(const Cta& source);

  /// Once all launches have ended.
  const Recording& recording();
  bool changed_something() const { return changes_ != 0; }

 private:
  void record(Machine& machine, const Call& call, std::size_t site);
  static void record_wait(Thread& self, const Call& call);
  void record_fence(Thread& self, const Call& call, std::size_t site);
  void record_meeting(Thread& self, const Call& call, std::size_t site);
  bool is_target(Machine& machine, std::size_t site);
  bool run_changed(Machine& machine, Call call);
  static void run_delayed(Thread& thread);

  SiteTable* sites_;
  bool mutates_ = false;  ///< else it records
  Mutant mutant_ = {};
  const SiteFacts* target_facts_ = nullptr;
  /// The threads that meet, each time that they do.
  struct Meeting {
    std::uint64_t news = 0;
    bool idle = true;
    bool same_phases = true;
    bool initialised = false;
    std::map<std::size_t, unsigned> sites;
  };
  std::map<std::array<std::uint64_t, 3>, Meeting> meetings_;
  std::unordered_map<std::uint64_t, std::uint64_t> loads_;    ///< by launch and CTA
  std::unordered_map<std::uint64_t, std::uint64_t> engines_;  ///< the same; loads, too
  Recording recording_;
  std::uint64_t launches_ = 0;
  std::uint64_t changes_ = 0;
};

/// Of a thread among all of a mutate()'s run.
std::uint64_t thread_number(const Thread& thread, std::uint64_t launch);

// mutation_rules.cpp: why a mutant that survived is equivalent; empty if no rule says so.
std::string why_equivalent(const std::vector<MutationSite>& sites, const Recording& recording,
                           const Mutant& mutant);

}  // namespace warpline::simulator
