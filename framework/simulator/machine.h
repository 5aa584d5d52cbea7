// The simulated chip: clusters of CTAs of warps of threads, and the agents that work beside them.
// Internal.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/copies.h"
#include "simulator/explorer.h"
#include "simulator/fiber.h"
#include "simulator/happens_before.h"
#include "simulator/mutator.h"
#include "simulator/random.h"
#include "simulator/recording.h"
#include "simulator/rule_list.h"
#include "simulator/shared_memory.h"
#include "simulator/simulate.h"
#include "simulator/tensor_cores.h"
#include "simulator/virtual_clock.h"

namespace warpline::simulator {

struct Thread;
struct Warp;
struct Cta;
struct Cluster;

/// What a blocked thread waits for; reports are made of it.
struct Wait {
  enum class Kind {
    none,
    mbarrier,
    try_mbarrier,  ///< may come back empty-handed
    warp,
    named_barrier,
    cluster_barrier,
    wgmma,
    bulk_read,
    bulk_write,
    registers,
    flag,  ///< in global memory
  };
  Kind kind = Kind::none;
  std::uint32_t address = 0;  ///< of the mbarrier
  unsigned parity = 0;
  unsigned id = 0;           ///< of the named barrier; registers wanted
  std::uint64_t target = 0;  ///< number of wgmma or bulk groups that must be done
  const std::uint32_t* flag = nullptr;
};

struct Thread {
  enum class State { ready, blocked, finished };
  State state = State::ready;
  Cta* cta = nullptr;
  Warp* warp = nullptr;
  unsigned index = 0;
  unsigned lane = 0;
  Wait wait;
  bool try_result = false;
  const char* role = "";
  const char* file = "";
  unsigned line = 0;
  std::unique_ptr<Fiber> fiber;

  /// Its number in vector clocks, and what it knows of the others' past.
  std::uint32_t actor = 0;
  Knowledge knowledge;
  /// What a barrier that this thread waited for has to tell it.
  std::shared_ptr<const Knowledge> news;
  std::uint32_t site = 0;  ///< in Machine::sites; 0 when line or role have changed since

  WgmmaThread wgmma;
  BulkGroups bulk;
  std::uint64_t setmaxnreg_calls = 0;
  std::uint64_t cluster_arrivals = 0;
  bool cluster_arrived = false;  ///< and not yet waited
  std::uint64_t elections = 0;
  std::uint64_t time = 0;  ///< Policy::timed: when it comes to its next instruction
  MutationState mutation;
};

/// A rendezvous of the 32 lanes.
struct WarpMeeting {
  const char* operation = nullptr;
  unsigned arrived = 0;
  std::uint32_t site = 0;                   ///< of the first to come
  std::array<std::uint32_t, 32> values{};   ///< what those who came have brought
  std::array<std::uint32_t, 32> results{};  ///< what the last complete meeting brought
  Knowledge gathered;
};

struct Warp {
  Cta* cta = nullptr;
  unsigned index = 0;
  std::array<Thread*, 32> lanes{};
  unsigned ready_lanes = 0;
  int ready_position = -1;  ///< in Machine::ready
  WarpMeeting meeting;
  unsigned elected_lane = 0;
  int registers = 0;
  std::uint64_t setmaxnreg_calls = 0;
  std::uint32_t multiply_actor = 0;  ///< counts the multiplies that this warp has waited for
  ProcessId process = 0;
  ProcessId copies_issued = 0;
  std::uint32_t priority = 0;
};

/// An arrival from another CTA of the cluster, of which this CTA must hear before it leaves.
struct RemoteArrival {
  std::uint32_t actor;
  std::uint32_t count;
  std::uint32_t site;
};

/// An agent's use of a CTA's shared memory, of which the CTA must hear before it leaves.
struct AgentAccess {
  enum class Kind { load, store, multiply };
  Kind kind;
  const Completion* completion;
  std::uint32_t site;
  std::uint32_t issuer_cta;
  std::uint32_t barrier;  ///< load: whose bytes are counted there
};

/// The end of a barrier's life.
struct Invalidation {
  std::uint32_t actor;
  std::uint32_t count;
  std::uint32_t site;
};

struct CountedCopy {
  std::uint32_t bytes;
  std::uint32_t site;
};

struct MbarrierState {
  unsigned expected = 0;
  unsigned pending = 0;
  std::int64_t transactions = 0;
  std::uint64_t phase = 0;
  std::uint64_t observed = 0;  ///< phases that some thread has waited for
  std::int64_t announced = 0;  ///< bytes expected in this phase, for reports
  std::int64_t delivered = 0;
  std::vector<CountedCopy> copies;             ///< whose bytes were counted in this phase
  std::vector<Warp*> arrived;                  ///< in this phase, once for each arrival ...
  std::vector<Warp*> arrived_before;           ///< ... and in the one before
  std::vector<RemoteArrival> remote_arrivals;  ///< the last of each thread
  std::uint32_t last_arrival_site = 0;
  std::uint32_t announcement_site = 0;
  std::vector<Thread*> waiters;
  Thread* initialiser = nullptr;
  std::uint32_t initialiser_actor = 0;
  std::uint32_t init_count = 0;  ///< the initialiser's clock then
  std::uint32_t init_site = 0;
  std::uint32_t fence_count = 0;  ///< the initialiser's clock at fence_mbarrier_init; 0: not yet
  std::uint32_t actor = 0;        ///< counts its phases
  Knowledge gathered;
  std::shared_ptr<const Knowledge> completed;
};

/// A place in global memory that is accessed atomically.
struct AtomicLocation {
  std::map<std::uint32_t, ClusterKnowledge> released;
  std::vector<Thread*> waiters;
};

struct NamedBarrier {
  unsigned threads = 0;
  unsigned arrived = 0;
  std::uint64_t generation = 0;
  std::vector<const Warp*> warps;         ///< that have come this time ...
  std::vector<const Warp*> warps_before;  ///< ... and the last time; sorted
  std::uint32_t site = 0;                 ///< of the first to come this time ...
  std::uint32_t last_site = 0;            ///< ... and the last time
  std::vector<Thread*> waiters;
  Knowledge gathered;
};

/// A part of shared memory that reports call by name, and that one operand must not leave.
struct Region {
  std::uint32_t begin;
  std::uint32_t end;
  std::string name;
  int stage = -1;
};

/// What reports call an mbarrier.
struct BarrierName {
  std::string text;
  int stage = -1;
};

struct Cta {
  Cluster* cluster = nullptr;
  Index3 index;
  unsigned linear = 0;
  unsigned rank = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<std::unique_ptr<Warpgroup>> warpgroups;
  SharedMemory memory;
  std::unordered_map<std::uint32_t, MbarrierState> mbarriers;
  std::unordered_map<std::uint32_t, BarrierName> mbarrier_names;
  std::array<NamedBarrier, 16> named;
  std::unordered_map<std::uint32_t, Invalidation> invalidated;
  std::vector<AgentAccess> agent_accesses;
  /// What its threads knew when they left.
  VectorClock learned;
  std::vector<Region> regions;
  int register_pool = 0;  ///< unclaimed registers, in units of one per thread of a warp
  unsigned running = 0;
  unsigned sm = 0;
  bool exited() const { return running == 0; }
};

struct Cluster {
  std::vector<std::unique_ptr<Cta>> ctas;
  std::uint32_t serial = 0;
  std::uint32_t actors = 0;  ///< handed out so far
  Knowledge barrier_gathered;
  std::shared_ptr<const Knowledge> barrier_completed;
  std::uint64_t barrier_phase = 0;
  std::uint64_t barrier_arrived = 0;
  std::vector<Thread*> barrier_waiters;
  unsigned threads = 0;
  unsigned running = 0;
};

/// CUDA C++ Programming Guide, compute capability 9.0.
inline constexpr std::size_t max_shared_bytes = 232448;

/// One simulation. Everything that happens goes through here.
class Machine {
 public:
  Machine(Launch what, const Options& how, const std::function<void(void*)>& body);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Statistics run();

  /// The thread whose code runs now; null while an agent acts.
  Thread* current = nullptr;
  const Launch launch;
  const Options options;
  Random random;
  Statistics statistics;
  /// Counts every change of state that could let somebody go on.
  std::uint64_t progress = 0;
  std::vector<std::unique_ptr<Cluster>> clusters;
  std::vector<std::unique_ptr<CopyTask>> copies;
  std::vector<Warpgroup*> multiplies;
  std::deque<Completion> completions;
  std::unordered_map<std::uintptr_t, Chunk> global_memory;
  std::unordered_map<std::uintptr_t, AtomicLocation> atomics;
  std::vector<Site> sites{Site{}};
  std::unordered_map<Site, std::uint32_t, SiteHash> site_numbers;

  std::uint32_t site_of(Thread& thread);

  /// Stops the current thread until wake().
  void block(const Wait& wait);
  void wake(Thread& thread);
  /// The current thread takes in what a barrier has told it.
  void learn_news() const;
  /// Lets others run now and then, as the policy likes.
  void preempt();
  void yield_now();
  std::uint32_t random_priority();
  /// Policy::timed: the current thread is busy for `cycles`; nothing otherwise.
  void spend(std::uint64_t cycles);
  /// The time that records carry: virtual, or scheduler steps.
  std::uint64_t now() const;
  bool timed() const { return options.policy == Policy::timed; }
  /// How many CTAs of this launch a multiprocessor holds.
  unsigned ctas_per_multiprocessor() const;
  /// Policy::timed: when the copy's first step is over.
  void set_due(CopyTask& copy);
  void record_copy(const CopyTask& copy);
  void record_multiply(const Warpgroup& warpgroup, const Multiply& multiply);
  VirtualClock clock;
  /// Policy::exhaustive: the present step synchronises with this.
  void touch(ObjectType type, std::uint64_t owner, std::uint64_t name, Touch::Kind kind,
             std::uint64_t phase);

  /// What there is to say beyond what happened.
  struct Detail {
    std::optional<Culprit> who = {};  ///< caught; the current thread if it is not said
    std::optional<Culprit> other = {};
    int stage = -1;
    std::string cure = {};
    std::string situation = {};
  };
  [[noreturn]] void fault(const Rule& rule, const std::string& what);
  [[noreturn]] void fault(const Rule& rule, const std::string& what, Detail detail);
  Thread& thread() const;
  Cta& cta() { return *thread().cta; }
  Cta& cluster_cta(unsigned rank);

 private:
  void check_launch() const;
  std::size_t resident_clusters();
  void start_cluster();
  void start_thread(Cta& cta, unsigned index);
  void finish_thread(Thread& thread);
  void check_agents_at_exit(const Cta& cta);
  void check_barriers_at_exit(Cta& cta);
  void retire_clusters();
  void begin_schedule();
  bool step();
  void step_by_lot();
  void step_by_priority();
  void step_as_explored();
  void step_by_clock();
  void place(Cluster& cluster);
  void note_wanted(const Warp& warp);
  void note_stuck();
  std::uint32_t lower_priority();
  void run_warp(Warp& warp);
  void run_agent(std::size_t choice);
  void make_ready(Thread& thread);
  void leave_ready(Warp& warp);
  bool release_tries();
  [[noreturn]] void report_deadlock();
  Warp* pick_warp();
  unsigned lane_to_hold_back(const Warp& warp);
  bool only_held_back(const Warp& warp) const;

  const std::function<void(void*)>& body_;
  std::vector<Warp*> ready_;
  std::uint64_t next_cluster_ = 0;
  std::uint64_t cluster_count_ = 0;
  std::uint64_t progress_at_last_release_ = ~std::uint64_t{0};
  std::uint64_t round_robin_ = 0;
  std::uint64_t starved_ = 0;
  unsigned starved_lane_ = 0;  ///< of each warp; 32: none
  std::uint64_t held_back_ = 0;
  std::uint64_t starved_draws_ = 0;
  std::uint64_t last_agent_step_ = 0;
  std::vector<std::uint64_t> change_points_;  ///< Policy::priorities: the next one last
  std::uint32_t lowest_priority_ = 0;
  std::uint64_t now_ = 0;             ///< Policy::timed: of the present step
  std::vector<unsigned> free_slots_;  ///< Policy::timed: CTAs that each multiprocessor has room for
  Footprint footprint_;               ///< of the present step
  Footprint wanted_;
  std::optional<Report> failure_;
  std::exception_ptr exception_;
};

/// The simulation that runs on this OS thread.
Machine& machine();

/// The first line of an instruction: what it returns if a mutation has taken its place.
inline std::optional<bool> mutated(const Call& call) {
  Machine& m = machine();
  return m.options.mutator == nullptr ? std::nullopt : m.options.mutator->intercept(m, call);
}

/// Names a thread, a barrier, a CTA in reports.
std::string describe(const Thread& thread);
std::string describe_barrier(const Cta& cta, std::uint32_t address);
std::string describe_place(const Cta& cta, std::uint32_t offset);
const Region* region_of(const Cta& cta, std::uint32_t offset);
/// -1: none in particular.
int stage_of(const Cta& cta, std::uint32_t offset);
int stage_of_barrier(const Cta& cta, std::uint32_t address);
/// "3 of 4 arrivals had come (consumer: warps 0, 1, 2), 16 of 32 announced bytes".
std::string describe_arrivals(const MbarrierState& state);
Culprit culprit_of(const Thread& thread);
Culprit culprit_of(const Site& site);
/// Who announced bytes last; nobody if none were.
std::optional<Culprit> announcer(const MbarrierState& state);
/// " (4096 by producer (...) at k.h:12, 2048 by ...)".
std::string describe_copies(const MbarrierState& state);

// barriers.cpp: its phase ends once all threads that have not left have arrived.
void complete_cluster_barrier(Cluster& cluster);

// mbarrier.cpp: an arrival of bytes, from an agent.
void complete_transactions(Cta& cta, const CopyTask& copy);
MbarrierState& checked_mbarrier(Cta& cta, std::uint32_t address, const char* operation);

}  // namespace warpline::simulator
