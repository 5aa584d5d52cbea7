#include "simulator/machine.h"

#include <algorithm>
#include <array>
#include <exception>
#include <stdexcept>
#include <utility>

#include "simulator/overflow_watch.h"

namespace warpline::simulator {

namespace {

thread_local Machine* running = nullptr;

/// From the event that a thread waits for to its next instruction.
std::uint64_t latency_of(Wait::Kind kind, const CostModel& costs) {
  switch (kind) {
    case Wait::Kind::wgmma:
      return costs.multiply_latency;
    case Wait::Kind::flag:
      return costs.load_latency;
    case Wait::Kind::named_barrier:
    case Wait::Kind::cluster_barrier:
      return costs.meet;
    case Wait::Kind::mbarrier:
    case Wait::Kind::try_mbarrier:
    case Wait::Kind::bulk_read:
    case Wait::Kind::bulk_write:
      return costs.wake;
    case Wait::Kind::none:
    case Wait::Kind::warp:
    case Wait::Kind::registers:
      return 0;
  }
  return 0;
}

}  // namespace

Machine& machine() {
  if (running == nullptr) {
    throw std::logic_error(
        "a device function was called outside a simulation: launch the kernel instead of calling "
        "it");
  }
  return *running;
}

Statistics simulate(const Launch& launch, const Options& options,
                    const std::function<void(void*)>& body) {
  Machine simulation(launch, options, body);
  return simulation.run();
}

Machine::Machine(Launch what, const Options& how, const std::function<void(void*)>& body)
    : launch(std::move(what)),
      options(how),
      random(how.seed),
      clock(how.costs, static_cast<unsigned>(std::max(how.multiprocessors, 1))),
      body_(body) {
  if (running != nullptr) {
    throw std::logic_error("simulations do not nest: a kernel cannot launch another");
  }
  check_launch();
  const auto count = [](const Index3& i) { return std::uint64_t{i.x} * i.y * i.z; };
  cluster_count_ = count(launch.grid) / count(launch.cluster);
  begin_schedule();
  if (options.recording != nullptr) {
    options.recording->begin(launch.kernel, timed());
  }
  if (options.mutator != nullptr) {
    options.mutator->begin_launch();
  }
  running = this;
}

/// What no chip could start, and what would end a simulation before it began.
void Machine::check_launch() const {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument(launch.kernel + ": " + what);
  };
  if ((options.policy == Policy::exhaustive) != (options.explorer != nullptr)) {
    refuse("Policy::exhaustive is for exhaust() (simulator/explore.h), which sets it");
  }
  if (options.depth < 1) {
    refuse("depth is " + std::to_string(options.depth) + "; it is at least 1");
  }
  if (options.costs.l2_reuse < 1) {
    refuse("CostModel::l2_reuse is 0; it is at least 1");
  }
  if (options.multiprocessors < 1 || options.ctas_per_multiprocessor < 0) {
    refuse(std::to_string(options.ctas_per_multiprocessor) + " CTAs on each of " +
           std::to_string(options.multiprocessors) + " multiprocessors; at least one is needed");
  }
  if (options.resident_clusters < 1) {
    refuse("resident_clusters is " + std::to_string(options.resident_clusters) +
           "; at least one cluster must be on the chip");
  }
  if (launch.threads < 1 || launch.threads > 1024) {
    refuse(std::to_string(launch.threads) + " threads; a CTA has 1 to 1024");
  }
  if (launch.shared_bytes > max_shared_bytes) {
    refuse(std::to_string(launch.shared_bytes) + " bytes of shared memory; a CTA has at most " +
           std::to_string(max_shared_bytes));
  }
  const std::array<std::array<unsigned, 2>, 3> axes = {{{launch.grid.x, launch.cluster.x},
                                                        {launch.grid.y, launch.cluster.y},
                                                        {launch.grid.z, launch.cluster.z}}};
  for (const auto& [grid, cluster] : axes) {
    if (grid == 0 || cluster == 0 || grid % cluster != 0) {
      refuse("a grid of " + std::to_string(grid) + " CTAs in clusters of " +
             std::to_string(cluster) + ": neither may be zero, and clusters must fill the grid");
    }
  }
  if (launch.cluster.x * launch.cluster.y * launch.cluster.z > 16) {
    refuse("a cluster has at most 16 CTAs");
  }
}

Machine::~Machine() { running = nullptr; }

Statistics Machine::run() {
  const OverflowWatch watch;
  const std::size_t most_clusters = resident_clusters();
  while (true) {
    retire_clusters();
    while (next_cluster_ < cluster_count_ && clusters.size() < most_clusters) {
      start_cluster();
    }
    if (clusters.empty() && copies.empty()) {
      statistics.cycles = now_;
      return statistics;
    }
    if (!step()) {
      const bool all_finished =
          std::all_of(clusters.begin(), clusters.end(),
                      [](const auto& cluster) { return cluster->running == 0; });
      if (!all_finished && !release_tries()) {
        report_deadlock();
      }
    }
    if (exception_) {
      std::rethrow_exception(exception_);
    }
    if (failure_) {
      throw SimulationFault(*failure_);
    }
    if (++statistics.steps > options.max_steps) {
      const Thread* polling = nullptr;
      if (!ready_.empty()) {
        for (const Thread* lane : ready_.front()->lanes) {
          if (polling == nullptr && lane != nullptr && lane->state == Thread::State::ready) {
            polling = lane;
          }
        }
      }
      Detail detail{.cure = "who polls waits for what never comes"};
      if (polling != nullptr) {
        detail.who = culprit_of(*polling);
      }
      fault(rules::no_progress,
            "the simulation did not end within " + std::to_string(options.max_steps) + " steps",
            detail);
    }
  }
}

void Machine::run_warp(Warp& warp) {
  const unsigned held_back = lane_to_hold_back(warp);
  for (Thread* lane : warp.lanes) {
    if (lane == nullptr || lane->state != Thread::State::ready || lane->lane == held_back ||
        (timed() && lane->time > now_)) {
      continue;
    }
    current = lane;
    lane->fiber->resume();
    current = nullptr;
    if (failure_ || exception_) {
      return;  // before the end of the thread is judged: what ended it is what counts
    }
    if (lane->fiber->ended()) {
      finish_thread(*lane);
    }
  }
}

void Machine::start_cluster() {
  auto cluster = std::make_unique<Cluster>();
  cluster->serial = static_cast<std::uint32_t>(next_cluster_);
  const Index3 shape = launch.cluster;
  const unsigned clusters_x = launch.grid.x / shape.x;
  const unsigned clusters_y = launch.grid.y / shape.y;
  const Index3 origin{static_cast<unsigned>(next_cluster_ % clusters_x) * shape.x,
                      static_cast<unsigned>(next_cluster_ / clusters_x % clusters_y) * shape.y,
                      static_cast<unsigned>(next_cluster_ / clusters_x / clusters_y) * shape.z};
  ++next_cluster_;
  for (unsigned rank = 0; rank < shape.x * shape.y * shape.z; ++rank) {
    auto cta = std::make_unique<Cta>();
    cta->cluster = cluster.get();
    cta->rank = rank;
    cta->index = {origin.x + rank % shape.x, origin.y + rank / shape.x % shape.y,
                  origin.z + rank / shape.x / shape.y};
    cta->linear = cta->index.x + launch.grid.x * (cta->index.y + launch.grid.y * cta->index.z);
    cta->memory.allocate(launch.shared_bytes);
    const unsigned warps = (launch.threads + 31) / 32;
    for (unsigned w = 0; w < warps; ++w) {
      if (w % 4 == 0) {
        cta->warpgroups.push_back(std::make_unique<Warpgroup>());
        cta->warpgroups.back()->cta = cta.get();
        cta->warpgroups.back()->first_warp = w;
        cta->warpgroups.back()->process = ProcessId{cta->linear} << 36 | ProcessId{w} << 26 | 2;
        cta->warpgroups.back()->priority = random_priority();
        cta->warpgroups.back()->complete = w + 4 <= warps;
      }
      auto warp = std::make_unique<Warp>();
      warp->cta = cta.get();
      warp->index = w;
      warp->registers = launch.registers;
      warp->multiply_actor = cluster->actors++;
      warp->process = ProcessId{cta->linear} << 36 | ProcessId{w} << 26;
      warp->priority = random_priority();
      // Hardware elects some lane, the same each time. Code that takes lane 0 for it should not get
      // away with it.
      warp->elected_lane =
          options.policy == Policy::fair ? 0 : static_cast<unsigned>(random.below(32));
      cta->warps.push_back(std::move(warp));
    }
    for (unsigned t = 0; t < launch.threads; ++t) {
      start_thread(*cta, t);
    }
    cta->running = launch.threads;
    cluster->threads += launch.threads;
    cluster->ctas.push_back(std::move(cta));
  }
  cluster->running = cluster->threads;
  place(*cluster);
  clusters.push_back(std::move(cluster));
}

void Machine::start_thread(Cta& cta, unsigned index) {
  auto thread = std::make_unique<Thread>();
  thread->cta = &cta;
  thread->warp = cta.warps[index / 32].get();
  thread->index = index;
  thread->lane = index % 32;
  thread->actor = cta.cluster->actors++;
  thread->knowledge.all.raise(thread->actor, 1);
  thread->warp->lanes[thread->lane] = thread.get();
  thread->fiber = std::make_unique<Fiber>(StackPool::of_this_thread(), [this, &cta] {
    try {
      body_(cta.memory.base());
      if (options.mutator != nullptr) {
        options.mutator->end_thread(*this);
      }
    } catch (...) {
      exception_ = std::current_exception();
    }
  });
  make_ready(*thread);
  cta.threads.push_back(std::move(thread));
}

void Machine::retire_clusters() {
  std::erase_if(clusters, [&](const std::unique_ptr<Cluster>& cluster) {
    if (cluster->running != 0) {
      return false;
    }
    // Stores that are still to be written name their issuer; those threads must live on until then.
    if (std::any_of(copies.begin(), copies.end(), [&](const auto& copy) {
          return copy->issuer->cta->cluster == cluster.get();
        })) {
      return false;
    }
    for (const auto& cta : cluster->ctas) {
      ++free_slots_[cta->sm];
    }
    return true;
  });
}

void Machine::make_ready(Thread& thread) {
  thread.state = Thread::State::ready;
  thread.wait = {};
  Warp& warp = *thread.warp;
  if (warp.ready_lanes++ == 0) {
    warp.ready_position = static_cast<int>(ready_.size());
    ready_.push_back(&warp);
  }
}

void Machine::leave_ready(Warp& warp) {
  if (--warp.ready_lanes == 0) {
    ready_[static_cast<std::size_t>(warp.ready_position)] = ready_.back();
    ready_.back()->ready_position = warp.ready_position;
    ready_.pop_back();
    warp.ready_position = -1;
  }
}

void Machine::block(const Wait& wait) {
  Thread& self = thread();
  if (self.fiber->unwinds()) {
    return;  // the kernel has thrown: there is nothing left to wait for
  }
  self.state = Thread::State::blocked;
  self.wait = wait;
  leave_ready(*self.warp);
  self.fiber->pause();
  learn_news();
}

void Machine::learn_news() const {
  Thread& self = thread();
  if (self.news != nullptr) {
    acquire_from(self, *self.news);
    self.news = nullptr;
  }
}

std::uint32_t Machine::site_of(Thread& thread) {
  if (thread.site == 0) {
    const Site site{.role = thread.role,
                    .file = thread.file,
                    .line = thread.line,
                    .cta = thread.cta->linear,
                    .warp = thread.warp->index};
    const auto [entry, fresh] =
        site_numbers.try_emplace(site, static_cast<std::uint32_t>(sites.size()));
    if (fresh) {
      sites.push_back(site);
    }
    thread.site = entry->second;
  }
  return thread.site;
}

void Machine::wake(Thread& thread) {
  if (thread.state == Thread::State::blocked) {
    ++progress;
    thread.time = std::max(thread.time, now() + latency_of(thread.wait.kind, options.costs));
    make_ready(thread);
  }
}

/// Nobody can run: threads in try_wait come back empty-handed, once for each change of state.
bool Machine::release_tries() {
  if (progress == progress_at_last_release_) {
    return false;
  }
  bool any = false;
  for (const auto& cluster : clusters) {
    for (const auto& cta : cluster->ctas) {
      for (const auto& thread : cta->threads) {
        if (thread->state == Thread::State::blocked &&
            thread->wait.kind == Wait::Kind::try_mbarrier) {
          std::erase(cta->mbarriers[thread->wait.address].waiters, thread.get());
          thread->try_result = false;
          make_ready(*thread);
          any = true;
        }
      }
    }
  }
  progress_at_last_release_ = progress;
  return any;
}

Thread& Machine::thread() const {
  if (current == nullptr) {
    throw std::logic_error("this instruction runs only inside a simulated thread");
  }
  return *current;
}

Cta& Machine::cluster_cta(unsigned rank) {
  Cluster& cluster = *cta().cluster;
  if (rank >= cluster.ctas.size()) {
    fault(rules::cluster_bounds, "CTA rank " + std::to_string(rank) + " is not in the cluster of " +
                                     std::to_string(cluster.ctas.size()));
  }
  return *cluster.ctas[rank];
}

void Machine::fault(const Rule& rule, const std::string& what) { fault(rule, what, Detail{}); }

void Machine::fault(const Rule& rule, const std::string& what, Detail detail) {
  Report report;
  if (detail.who) {
    static_cast<Culprit&>(report) = *std::move(detail.who);
  } else if (current != nullptr) {
    static_cast<Culprit&>(report) = culprit_of(*current);
  }
  report.kind = rule.kind;
  report.rule = &rule;
  report.what = what;
  report.cure = detail.cure.empty() ? rule.cure : std::move(detail.cure);
  report.other = std::move(detail.other);
  report.situation = std::move(detail.situation);
  report.stage = detail.stage;
  report.kernel = launch.kernel;
  report.seed = options.seed;
  report.policy = options.policy;
  const bool inside_fiber =
      current != nullptr && current->state != Thread::State::finished && !current->fiber->ended();
  if (!inside_fiber) {
    throw SimulationFault(report);
  }
  failure_ = std::move(report);
  // Never resumed: the machine throws once it is back outside.
  current->fiber->pause();
  std::terminate();
}

}  // namespace warpline::simulator
