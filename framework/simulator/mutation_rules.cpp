// Why a mutant that nothing reported is no worse than the kernel. Each rule rests on what the
// instructions are defined to do, and on what was recorded of the kernel without mutation.
#include <algorithm>
#include <initializer_list>

#include "simulator/mutator.h"

namespace warpline::simulator {

namespace {

bool is_one_of(Instruction instruction, std::initializer_list<Instruction> list) {
  return std::find(list.begin(), list.end(), instruction) != list.end();
}

bool is_mbarrier_wait(Instruction i) {
  return is_one_of(i, {Instruction::mbarrier_wait, Instruction::mbarrier_try_wait,
                       Instruction::mbarrier_test_wait});
}

bool is_group_wait(Instruction i) {
  return is_one_of(i, {Instruction::wgmma_wait_group, Instruction::bulk_wait_group,
                       Instruction::bulk_wait_group_read});
}

bool is_wait(Instruction i) {
  return is_mbarrier_wait(i) || is_group_wait(i) || i == Instruction::cluster_wait;
}

bool is_fence(Instruction i) {
  return is_one_of(i, {Instruction::fence_mbarrier_init, Instruction::fence_proxy_async,
                       Instruction::wgmma_fence});
}

bool is_meeting(Instruction i) {
  return is_one_of(
      i, {Instruction::syncthreads, Instruction::named_barrier_sync, Instruction::syncwarp});
}

bool is_arrival(Instruction i) {
  return is_one_of(i, {Instruction::mbarrier_arrive, Instruction::mbarrier_arrive_remote,
                       Instruction::mbarrier_arrive_expect_tx});
}

/// One mutant's site, with what was recorded of it.
class Case {
 public:
  Case(const std::vector<MutationSite>& sites, const Recording& recording, const Mutant& mutant)
      : sites_(sites),
        recording_(recording),
        mutant_(mutant),
        facts_(recording.sites[mutant.site]),
        instruction_(sites[mutant.site].instruction) {}

  std::string why() const {
    switch (mutant_.change) {
      case Change::remove:
        return why_removed();
      case Change::duplicate:
        return why_twice();
      case Change::delay:
        return why_delayed();
      case Change::other_space:
        return why_needless();
      default:
        return {};
    }
  }

 private:
  /// Whether all that comes after the site, before anything is touched, is as `allowed` says
  /// (nothing: the thread's end).
  template <class Allowed>
  bool only_before(unsigned touched_at_most, Allowed allowed) const {
    return std::all_of(facts_.next.begin(), facts_.next.end(), [&](const auto& next) {
      return (next.second & ~touched_at_most) == 0 &&
             (next.first == end_of_thread || allowed(next.first));
    });
  }

  bool all_idle() const { return facts_.idle == facts_.executions; }

  std::string why_idle() const {
    if (!all_idle()) {
      return {};
    }
    if (instruction_ == Instruction::fence_proxy_async) {
      return "it has nothing to order: the thread has accessed nothing since its last fence";
    }
    return {};
  }

  /// Of a fence, wherever it is moved and whether it is there or not.
  std::string why_needless() const {
    if (instruction_ == Instruction::fence_mbarrier_init && fenced_again(mutant_.site)) {
      return "the same thread fences again before it does anything but initialise";
    }
    if (instruction_ == Instruction::fence_mbarrier_init &&
        !used_by_copies_or_peers([](const MutationSite&) { return true; })) {
      return "no copy counts on any barrier and no other CTA arrives at one: threads of the CTA "
             "need "
             "only the meeting after the initialisation";
    }
    if (instruction_ == Instruction::fence_proxy_async && fences_shared() &&
        !facts_.engines_follow) {
      return "no copy and no multiply touches the CTA's shared memory after it";
    }
    return why_idle();
  }

  bool fences_shared() const {
    constexpr auto shared = static_cast<unsigned>(Space::shared);
    return facts_.smallest_value == shared && facts_.all_values == shared;
  }

  template <class Wanted>
  bool used_by_copies_or_peers(Wanted wanted) const {
    return std::any_of(sites_.begin(), sites_.end(), [&](const MutationSite& site) {
      return wanted(site) && is_one_of(site.instruction, {Instruction::mbarrier_expect_tx,
                                                          Instruction::mbarrier_arrive_expect_tx,
                                                          Instruction::mbarrier_arrive_remote});
    });
  }

  /// Whether all that a thread does after the site, up to another fence_mbarrier_init, is to
  /// initialise barriers.
  bool fenced_again(std::size_t begin) const {
    std::vector<std::size_t> open = {begin};
    std::vector<bool> seen(sites_.size());
    while (!open.empty()) {
      const std::size_t site = open.back();
      open.pop_back();
      for (const auto& [next, touched] : recording_.sites[site].next) {
        if (touched != 0 || next == end_of_thread ||
            !is_one_of(sites_[next].instruction,
                       {Instruction::mbarrier_init, Instruction::fence_mbarrier_init})) {
          return false;
        }
        if (sites_[next].instruction == Instruction::mbarrier_init && !seen[next]) {
          seen[next] = true;
          open.push_back(next);
        }
      }
    }
    return true;
  }

  std::string why_removed() const {
    const bool first = mutant_.occurrence == Occurrence::first;
    if (is_wait(instruction_) &&
        ((first && facts_.first_is_vacuous) || facts_.vacuous == facts_.executions)) {
      return is_group_wait(instruction_) ? "there are no groups yet to wait for"
                                         : "it passes by the barrier's initial parity";
    }
    if (instruction_ == Instruction::wgmma_wait_group && mutant_.occurrence == Occurrence::last &&
        !facts_.loads_follow && another_wait_follows()) {
      return "no copy overwrites what its multiply read, and the thread's next wait covers the "
             "same groups";
    }
    if (instruction_ == Instruction::setmaxnreg && facts_.increases) {
      return "registers that nobody asks for: the role then has what the kernel was launched with, "
             "to which the compiler keeps";
    }
    if (instruction_ == Instruction::syncwarp && mutant_.occurrence == Occurrence::every &&
        only_waits_follow()) {
      return "only waits follow it until the thread's end, and it orders nothing that others touch";
    }
    if (is_meeting(instruction_) && all_idle() && !facts_.only_meeting) {
      return "it has nothing to tell: none of its threads has accessed or learned anything since "
             "they last met, and they meet elsewhere each time";
    }
    return why_needless();
  }

  std::string why_twice() const {
    if (is_mbarrier_wait(instruction_)) {
      return "a phase that has passed once passes again";
    }
    if (is_group_wait(instruction_)) {
      return "the groups that it waits for are over the second time";
    }
    if (is_fence(instruction_)) {
      return "nothing stands between the two for the second to order";
    }
    if (is_one_of(instruction_,
                  {Instruction::wgmma_commit_group, Instruction::bulk_commit_group})) {
      return "the second group is empty: waits that leave some groups pending wait for more, never "
             "for less";
    }
    if (is_meeting(instruction_)) {
      return "the same threads meet again with nothing in between";
    }
    if (instruction_ == Instruction::setmaxnreg) {
      return "the second asks for what the warp has";
    }
    return {};
  }

  std::string why_delayed() const {
    if (only_before(0, [](std::size_t) { return false; })) {
      return "nothing follows it in its threads";
    }
    if (instruction_ == Instruction::setmaxnreg || only_before(0, [&](std::size_t next) {
          return sites_[next].instruction == Instruction::setmaxnreg;
        })) {
      return "setmaxnreg orders nothing, so it may stand before or after others";
    }
    if (is_wait(instruction_) && only_before(0, [&](std::size_t next) {
          const Instruction other = sites_[next].instruction;
          return is_wait(other) || is_fence(other) || other == Instruction::setmaxnreg ||
                 (is_mbarrier_wait(instruction_) && is_meeting(other) &&
                  !recording_.sites[next].tells_phases);
        })) {
      return "it still stands before the next access of each thread that waits, and what it is "
             "moved past does not tell others of it";
    }
    if (is_arrival(instruction_)) {
      return "an arrival that comes later releases no less, and nobody waited for it in vain";
    }
    if (is_commit_of_the_same_group()) {
      return "it still closes the same group before the next wait for it";
    }
    if (instruction_ == Instruction::mbarrier_init) {
      return why_initialised_later();
    }
    if (instruction_ == Instruction::fence_mbarrier_init && !recording_.loads_by_unfenced) {
      return "it still stands before all copies: the thread that fences issues them itself";
    }
    if (is_meeting(instruction_) && all_idle()) {
      return "it has nothing to tell, and the threads meet as often as before";
    }
    if (is_meeting(instruction_) &&
        only_before(0, [&](std::size_t next) { return is_indifferent_to_meeting(next); })) {
      return "it is moved past a fence of registers, or past its like: it still stands before what "
             "each thread touches, waits for or tells next";
    }
    if (is_meeting(instruction_) && !facts_.tells_initialisation &&
        only_before(facts_.tells_global ? 0u : unsigned{touches_global}, [&](std::size_t next) {
          const Instruction other = sites_[next].instruction;
          return is_mbarrier_wait(other) || other == Instruction::mbarrier_expect_tx ||
                 other == Instruction::mbarrier_arrive_expect_tx || is_indifferent_to_meeting(next);
        })) {
      return "it still stands before the copies that it holds back, and before each thread's next "
             "access to shared memory";
    }
    if (instruction_ == Instruction::fence_proxy_async &&
        only_before(touches_shared | touches_global, [&](std::size_t next) {
          const Instruction other = sites_[next].instruction;
          return is_wait(other) || is_fence(other) || other == Instruction::mbarrier_expect_tx;
        })) {
      return "what it is moved past tells nobody of the accesses that it fences, and issues "
             "nothing";
    }
    return why_needless();
  }

  /// wgmma_fence orders the thread's own registers; of two __syncthreads() it is all the same which
  /// comes first.
  bool is_indifferent_to_meeting(std::size_t other) const {
    const Instruction instruction = sites_[other].instruction;
    return instruction == Instruction::wgmma_fence ||
           (instruction == Instruction::syncthreads && instruction_ == Instruction::syncthreads);
  }

  std::string why_initialised_later() const {
    if (only_before(0, [&](std::size_t next) {
          return sites_[next].instruction == Instruction::mbarrier_init;
        })) {
      return "initialisations of different barriers may change places";
    }
    const bool used = used_by_copies_or_peers(
        [&](const MutationSite& site) { return site.barrier == sites_[mutant_.site].barrier; });
    if (!used && only_before(0, [&](std::size_t next) {
          return is_one_of(sites_[next].instruction,
                           {Instruction::mbarrier_init, Instruction::fence_mbarrier_init});
        })) {
      return "no copy counts on this barrier and no other CTA arrives at it: threads of the CTA "
             "need only the meeting after the initialisation";
    }
    const bool fenced_later = std::all_of(facts_.next.begin(), facts_.next.end(), [&](auto& next) {
      return next.first != end_of_thread &&
             (sites_[next.first].instruction != Instruction::fence_mbarrier_init ||
              fenced_again(next.first));
    });
    if (fenced_later && only_before(0, [&](std::size_t next) {
          return is_one_of(sites_[next].instruction,
                           {Instruction::mbarrier_init, Instruction::fence_mbarrier_init});
        })) {
      return "the same thread fences again before it does anything but initialise";
    }
    return {};
  }

  bool is_commit_of_the_same_group() const {
    if (instruction_ == Instruction::wgmma_commit_group) {
      return only_before(~unsigned{issues_multiply}, [&](std::size_t next) {
        return !is_one_of(sites_[next].instruction,
                          {Instruction::wgmma_wait_group, Instruction::wgmma_commit_group});
      });
    }
    return instruction_ == Instruction::bulk_commit_group &&
           only_before(~unsigned{issues_copy}, [&](std::size_t next) {
             return !is_one_of(sites_[next].instruction,
                               {Instruction::bulk_wait_group, Instruction::bulk_wait_group_read,
                                Instruction::bulk_commit_group});
           });
  }

  /// Of the same kind, at another place.
  bool another_wait_follows() const {
    return reaches([&](std::size_t site) {
      return site != mutant_.site && sites_[site].instruction == instruction_;
    });
  }

  /// From the site on, threads only wait and meet, and touch nothing.
  bool only_waits_follow() const {
    std::vector<std::size_t> open = {mutant_.site};
    std::vector<bool> seen(sites_.size());
    while (!open.empty()) {
      const std::size_t site = open.back();
      open.pop_back();
      if (seen[site]) {
        continue;
      }
      seen[site] = true;
      const Instruction here = sites_[site].instruction;
      if (!is_mbarrier_wait(here) && here != Instruction::syncwarp) {
        return false;
      }
      for (const auto& [next, touched] : recording_.sites[site].next) {
        if (touched != 0) {
          return false;
        }
        if (next != end_of_thread) {
          open.push_back(next);
        }
      }
    }
    return true;
  }

  template <class Wanted>
  bool reaches(Wanted wanted) const {
    std::vector<std::size_t> open = {mutant_.site};
    std::vector<bool> seen(sites_.size());
    while (!open.empty()) {
      const std::size_t site = open.back();
      open.pop_back();
      if (seen[site]) {
        continue;
      }
      seen[site] = true;
      if (wanted(site)) {
        return true;
      }
      for (const auto& [next, touched] : recording_.sites[site].next) {
        if (next != end_of_thread) {
          open.push_back(next);
        }
      }
    }
    return false;
  }

  const std::vector<MutationSite>& sites_;
  const Recording& recording_;
  const Mutant& mutant_;
  const SiteFacts& facts_;
  Instruction instruction_;
};

}  // namespace

std::string why_equivalent(const std::vector<MutationSite>& sites, const Recording& recording,
                           const Mutant& mutant) {
  return Case(sites, recording, mutant).why();
}

}  // namespace warpline::simulator
