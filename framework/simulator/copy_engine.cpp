// The copy engine: tiled loads and stores with swizzle, out-of-bounds fill and clipping; bulk
// copies; bulk groups.
#include <algorithm>
#include <cstring>
#include <memory>

#include "simulator/machine.h"

namespace warpline::simulator {

namespace {

std::uint32_t window_offset(const void* shared, std::uint32_t bytes, std::uint32_t alignment,
                            const char* operation) {
  Machine& m = machine();
  const SharedMemory& memory = m.cta().memory;
  if (!memory.contains(shared, bytes)) {
    m.fault(rules::shared_bounds, std::string(operation) + " of " + std::to_string(bytes) +
                                      " bytes leaves the CTA's shared memory");
  }
  const std::uint32_t offset = memory.offset(shared);
  if (offset % alignment != 0) {
    m.fault(rules::copy_alignment, std::string(operation) + ": shared address " +
                                       std::to_string(offset) + " is not aligned to " +
                                       std::to_string(alignment) + " bytes");
  }
  return offset;
}

std::uint32_t box_bytes(const TensorMapData& map) {
  std::uint32_t bytes = map.element_bytes;
  for (int d = 0; d < map.rank; ++d) {
    bytes *= map.box[d];
  }
  return bytes;
}

TensorMapData checked_map(const void* words, int rank, const std::int32_t* coordinates,
                          const char* operation) {
  Machine& m = machine();
  TensorMapData map;
  std::memcpy(&map, words, sizeof map);
  if (map.magic != TensorMapData::valid) {
    m.fault(rules::tensor_map,
            std::string(operation) + ": the tensor map was not made by make_tensor_map");
  }
  if (map.rank != rank) {
    m.fault(rules::tensor_map, std::string(operation) + " with " + std::to_string(rank) +
                                   " coordinates on a tensor map of " + std::to_string(map.rank) +
                                   " dimensions");
  }
  if (static_cast<std::int64_t>(coordinates[0]) * map.element_bytes % 16 != 0) {
    m.fault(rules::coordinate_alignment,
            std::string(operation) + ": the innermost coordinate " +
                std::to_string(coordinates[0]) + " is at byte " +
                std::to_string(static_cast<std::int64_t>(coordinates[0]) * map.element_bytes) +
                ", not a multiple of 16 (the GPU raises an illegal instruction)");
  }
  return map;
}

/// Shared memory that a load will write: it must be free, and it is poison until the load has
/// delivered.
void begin_write(Cta& cta, std::uint32_t offset, std::uint32_t bytes, Completion& completion,
                 const char* what, Party party = Party::load) {
  Machine& m = machine();
  if (!cta.memory.contains(offset, bytes)) {
    m.fault(rules::shared_bounds, std::string(what) + " leaves the target CTA's shared memory");
  }
  const Region* region = region_of(cta, offset);
  if (region != nullptr && offset + bytes > region->end) {
    m.fault(rules::stage_bounds,
            std::string(what) + " of " + std::to_string(bytes) + " bytes that starts in " +
                describe_place(cta, offset) + " runs over its end",
            {.stage = region->stage, .cure = "load into a member of the stage, of its size"});
  }
  const Attempt attempt{&m.thread(), party, true, what, &completion};
  check_shared(cta, offset, bytes, attempt);
  note_shared(cta, offset, bytes, attempt);
  std::memset(cta.memory.at(offset), 0xff, bytes);
}

void begin_read(Cta& cta, std::uint32_t offset, std::uint32_t bytes, Completion& completion,
                Party party, const char* what) {
  const Attempt attempt{&machine().thread(), party, false, what, &completion};
  check_shared(cta, offset, bytes, attempt);
  note_shared(cta, offset, bytes, attempt);
}

/// Calls visit(global place or null, shared offset within the box, bytes) for each 16-byte chunk of
/// the box.
template <class Visit>
void for_each_chunk(const CopyTask& task, Visit visit) {
  const TensorMapData& map = task.map;
  const std::uint32_t row_bytes = std::uint32_t{map.box[0]} * map.element_bytes;
  std::uint32_t rows = 1;
  for (int d = 1; d < map.rank; ++d) {
    rows *= map.box[d];
  }
  for (std::uint32_t r = 0; r < rows; ++r) {
    std::uint32_t rest = r;
    bool inside = true;
    std::int64_t place = 0;
    for (int d = 1; d < map.rank; ++d) {
      const std::int64_t c = std::int64_t{task.coordinates[d]} + rest % map.box[d];
      rest /= map.box[d];
      inside = inside && c >= 0 && c < static_cast<std::int64_t>(map.extent[d]);
      place += c * static_cast<std::int64_t>(map.stride[d]);
    }
    for (std::uint32_t b = 0; b < row_bytes; b += 16) {
      const std::int64_t byte = std::int64_t{task.coordinates[0]} * map.element_bytes + b;
      const std::int64_t end = static_cast<std::int64_t>(map.extent[0]) * map.element_bytes;
      const bool chunk_inside = inside && byte >= 0 && byte < end;
      visit(chunk_inside ? map.base + place + byte : nullptr, r * row_bytes + b,
            static_cast<std::uint32_t>(chunk_inside ? std::min<std::int64_t>(16, end - byte) : 0));
    }
  }
}

unsigned char* shared_chunk(const CopyTask& task, Cta& cta, std::uint32_t within) {
  return cta.memory.at(swizzle_address(task.shared + within, task.map.span_bytes));
}

void deliver_tensor_load(CopyTask& task) {
  Cta& cta = *task.target_cta;
  for_each_chunk(task, [&](const unsigned char* global, std::uint32_t within, std::uint32_t valid) {
    unsigned char* target = shared_chunk(task, cta, within);
    std::memset(target, 0, 16);
    if (global != nullptr) {
      std::memcpy(target, global, valid);
    }
  });
}

void read_tensor_store(CopyTask& task) {
  task.staging.resize(task.bytes);
  for (std::uint32_t within = 0; within < task.bytes; within += 16) {
    std::memcpy(&task.staging[within], shared_chunk(task, *task.source_cta, within), 16);
  }
}

void write_tensor_store(CopyTask& task) {
  for_each_chunk(task, [&](unsigned char* global, std::uint32_t within, std::uint32_t) {
    if (global != nullptr) {
      // Measured: the store clips in units of 16 bytes, so the last chunk of a row is written
      // whole.
      std::memcpy(global, &task.staging[within], 16);
    }
  });
}

void read_global_box(CopyTask& task) {
  Thread& issuer = machine().thread();
  for_each_chunk(task, [&](const unsigned char* global, std::uint32_t, std::uint32_t valid) {
    if (global != nullptr) {
      access_global(global, valid, {&issuer, Party::load, false, "a tensor load", task.completion});
    }
  });
}

/// wgmma must read with the swizzle that the load wrote with.
void note_swizzle(Cta& target, const CopyTask& task) {
  for (std::uint32_t at = 0; at < task.bytes; at += SharedMemory::chunk) {
    target.memory.chunk_at(task.shared + at).swizzle_span = task.map.span_bytes;
  }
}

void write_global_box(CopyTask& task) {
  Thread& issuer = machine().thread();
  for_each_chunk(task, [&](const unsigned char* global, std::uint32_t, std::uint32_t) {
    if (global != nullptr) {
      access_global(global, 16,
                    {&issuer, Party::store, true, "a tensor store", task.write_completion});
    }
  });
}

void enqueue(std::unique_ptr<CopyTask> task) {
  Machine& m = machine();
  task->issuer = m.current;
  m.current->mutation.touched |= issues_copy;
  if (m.options.mutator != nullptr && task->target_cta != nullptr) {
    m.options.mutator->note_load(*m.current, *task->target_cta);
  }
  if (m.options.mutator != nullptr && task->source_cta != nullptr) {
    m.options.mutator->note_engine(*task->source_cta);
  }
  task->site = m.site_of(*m.current);
  const auto note = [&](Cta* cta, AgentAccess::Kind kind) {
    if (cta != nullptr) {
      cta->agent_accesses.push_back({.kind = kind,
                                     .completion = task->completion,
                                     .site = task->site,
                                     .issuer_cta = m.cta().linear,
                                     .barrier = task->barrier});
    }
  };
  note(task->target_cta, AgentAccess::Kind::load);
  note(task->source_cta, AgentAccess::Kind::store);
  Warp& warp = *m.current->warp;
  task->process = warp.process | ++warp.copies_issued << 2 | 1;
  task->priority = m.random_priority();
  m.touch(ObjectType::copy_issue, task->process, 0, Touch::Kind::arrive, 0);
  if (task->target_cta != nullptr) {
    m.touch(ObjectType::cta_lifetime, task->target_cta->linear, 0, Touch::Kind::arrive, 0);
  }
  ++m.progress;
  m.set_due(*task);
  m.copies.push_back(std::move(task));
  m.preempt();
}

void check_load_barrier(Cta& cta, std::uint32_t address, const char* operation) {
  const MbarrierState& state = checked_mbarrier(cta, address, operation);
  const Thread& self = machine().thread();
  const bool fenced =
      state.fence_count != 0 && (state.initialiser == &self ||
                                 self.knowledge.all[state.initialiser_actor] >= state.fence_count);
  if (!fenced) {
    machine().fault(rules::barrier_init_fence,
                    std::string(operation) + " counts on " + describe_barrier(cta, address) +
                        ", whose mbarrier_init was not followed by fence_mbarrier_init()",
                    {.other = culprit_of(machine().sites[state.init_site]),
                     .stage = stage_of_barrier(cta, address),
                     .cure = "fence_mbarrier_init() by the initialiser, before the CTA meets"});
  }
}

/// Its reads of shared memory, and its writes of global memory, are known to be over to whoever has
/// learned of the waits that its thread has made.
Completion* completion_of_group(std::uint32_t& actor, std::uint64_t group) {
  Machine& m = machine();
  if (actor == 0) {
    actor = m.cta().cluster->actors++;
  }
  return &m.completions.emplace_back(Completion{
      .actors = {actor}, .actor_count = 1, .count = static_cast<std::uint32_t>(group + 1)});
}

void join_open_group(CopyTask& task) {
  BulkGroups& groups = machine().thread().bulk;
  task.completion = completion_of_group(groups.read_actor, groups.open);
  task.write_completion = completion_of_group(groups.write_actor, groups.open);
  task.group = groups.open;
  if (groups.unread.size() <= groups.open) {
    groups.unread.resize(groups.open + 1);
    groups.unwritten.resize(groups.open + 1);
  }
  ++groups.unread[groups.open];
  ++groups.unwritten[groups.open];
}

void wake_bulk_waiter(Thread& thread) {
  const Wait& wait = thread.wait;
  if ((wait.kind == Wait::Kind::bulk_read && thread.bulk.read_up_to(wait.target)) ||
      (wait.kind == Wait::Kind::bulk_write && thread.bulk.written_up_to(wait.target))) {
    machine().wake(thread);
  }
}

void check_bulk(std::uint32_t bytes, const void* global, const char* operation) {
  if (bytes == 0 || bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(global) % 16 != 0) {
    machine().fault(rules::copy_alignment,
                    std::string(operation) + " of " + std::to_string(bytes) +
                        " bytes: size and global address must be multiples of 16");
  }
}

}  // namespace

bool advance_copy(CopyTask& task) {
  Thread& issuer = *task.issuer;
  Machine& m = machine();
  m.touch(ObjectType::copy_issue, task.process, 0, Touch::Kind::wait, 1);
  for (const Cta* cta : {task.source_cta, task.target_cta}) {
    if (cta != nullptr) {
      m.touch(ObjectType::cta_lifetime, cta->linear, 0, Touch::Kind::arrive, 0);
    }
  }
  switch (task.kind) {
    case CopyTask::Kind::tensor_load:
    case CopyTask::Kind::bulk_load:
    case CopyTask::Kind::remote_store:
    case CopyTask::Kind::bulk_send: {
      Cta& cta = *task.target_cta;
      if (task.kind == CopyTask::Kind::tensor_load) {
        deliver_tensor_load(task);
      } else if (task.kind == CopyTask::Kind::bulk_load) {
        std::memcpy(cta.memory.at(task.shared), task.global, task.bytes);
      } else if (task.kind == CopyTask::Kind::remote_store) {
        std::memcpy(cta.memory.at(task.shared), task.staging.data(), task.bytes);
      } else {
        std::memcpy(cta.memory.at(task.shared), task.source_cta->memory.at(task.source),
                    task.bytes);
        task.has_read = true;
      }
      m.record_copy(task);
      complete_transactions(cta, task);
      return true;
    }
    case CopyTask::Kind::tensor_store:
    case CopyTask::Kind::bulk_store:
      if (!task.has_read) {
        if (task.kind == CopyTask::Kind::tensor_store) {
          read_tensor_store(task);
        } else {
          const unsigned char* source = task.source_cta->memory.at(task.shared);
          task.staging.assign(source, source + task.bytes);
        }
        task.has_read = true;
        task.due = m.clock.store_written(task.due);
        m.touch(ObjectType::bulk_read, issuer.warp->process, task.group, Touch::Kind::arrive, 0);
        --issuer.bulk.unread[task.group];
        wake_bulk_waiter(issuer);
        return false;
      }
      if (task.kind == CopyTask::Kind::tensor_store) {
        write_tensor_store(task);
      } else {
        std::memcpy(task.global, task.staging.data(), task.bytes);
      }
      m.record_copy(task);
      m.touch(ObjectType::bulk_write, issuer.warp->process, task.group, Touch::Kind::arrive, 0);
      --issuer.bulk.unwritten[task.group];
      wake_bulk_waiter(issuer);
      return true;
  }
  return true;
}

void tensor_load(void* shared, const void* words, const std::int32_t* coordinates, int rank,
                 void* barrier, unsigned cta_mask) {
  Machine& m = machine();
  const TensorMapData map = checked_map(words, rank, coordinates, "a tensor load");
  const std::uint32_t bytes = box_bytes(map);
  const std::uint32_t offset = window_offset(shared, bytes, 128, "a tensor load");
  const std::uint32_t barrier_at = window_offset(barrier, 8, 8, "a tensor load's mbarrier");
  const unsigned mask = cta_mask != 0 ? cta_mask : 1u << m.cta().rank;
  for (unsigned rank_in_cluster = 0; mask >> rank_in_cluster != 0; ++rank_in_cluster) {
    if ((mask >> rank_in_cluster & 1) == 0) {
      continue;
    }
    Cta& target = m.cluster_cta(rank_in_cluster);
    if (target.exited()) {
      m.fault(rules::access_after_exit,
              "a multicast into CTA " + std::to_string(target.linear) + ", which has left",
              {.stage = stage_of_barrier(target, barrier_at),
               .cure = "who is copied into leaves last"});
    }
    check_load_barrier(target, barrier_at, "a tensor load");
    auto task = std::make_unique<CopyTask>();
    task->completion = &m.completions.emplace_back();
    begin_write(target, offset, bytes, *task->completion, "a tensor load");
    task->kind = CopyTask::Kind::tensor_load;
    task->target_cta = &target;
    task->map = map;
    std::copy_n(coordinates, rank, task->coordinates);
    task->shared = offset;
    task->bytes = bytes;
    task->barrier = barrier_at;
    read_global_box(*task);
    note_swizzle(target, *task);
    enqueue(std::move(task));
  }
}

void tensor_store(const void* words, const std::int32_t* coordinates, int rank,
                  const void* shared) {
  Machine& m = machine();
  auto task = std::make_unique<CopyTask>();
  task->kind = CopyTask::Kind::tensor_store;
  task->map = checked_map(words, rank, coordinates, "a tensor store");
  task->bytes = box_bytes(task->map);
  task->shared = window_offset(shared, task->bytes, 128, "a tensor store");
  task->source_cta = &m.cta();
  std::copy_n(coordinates, rank, task->coordinates);
  join_open_group(*task);
  for (int d = 0; d < rank; ++d) {
    if (coordinates[d] < 0) {
      m.fault(rules::store_coordinate,
              "a tensor store at coordinate " + std::to_string(coordinates[d]) + " in dimension " +
                  std::to_string(d) +
                  ": a store may hang over a tensor's far edge only (the GPU raises an illegal "
                  "instruction)");
    }
  }
  begin_read(m.cta(), task->shared, task->bytes, *task->completion, Party::store, "a tensor store");
  write_global_box(*task);
  enqueue(std::move(task));
}

void bulk_load(void* shared, const void* global, unsigned bytes, void* barrier) {
  Machine& m = machine();
  check_bulk(bytes, global, "a bulk load");
  auto task = std::make_unique<CopyTask>();
  task->kind = CopyTask::Kind::bulk_load;
  task->target_cta = &m.cta();
  task->shared = window_offset(shared, bytes, 16, "a bulk load");
  task->barrier = window_offset(barrier, 8, 8, "a bulk load's mbarrier");
  task->global = static_cast<unsigned char*>(const_cast<void*>(global));
  task->bytes = bytes;
  check_load_barrier(m.cta(), task->barrier, "a bulk load");
  task->completion = &m.completions.emplace_back();
  begin_write(m.cta(), task->shared, bytes, *task->completion, "a bulk load");
  access_global(global, bytes, {&m.thread(), Party::load, false, "a bulk load", task->completion});
  enqueue(std::move(task));
}

void bulk_store(void* global, const void* shared, unsigned bytes) {
  Machine& m = machine();
  check_bulk(bytes, global, "a bulk store");
  auto task = std::make_unique<CopyTask>();
  task->kind = CopyTask::Kind::bulk_store;
  task->source_cta = &m.cta();
  task->shared = window_offset(shared, bytes, 16, "a bulk store");
  task->global = static_cast<unsigned char*>(global);
  task->bytes = bytes;
  join_open_group(*task);
  begin_read(m.cta(), task->shared, bytes, *task->completion, Party::store, "a bulk store");
  access_global(global, bytes,
                {&m.thread(), Party::store, true, "a bulk store", task->write_completion});
  enqueue(std::move(task));
}

void bulk_send(void* shared_target, const void* shared, unsigned bytes, void* barrier,
               unsigned cta_rank) {
  Machine& m = machine();
  check_bulk(bytes, nullptr, "a bulk copy to a peer CTA");
  Cta& target = m.cluster_cta(cta_rank);
  if (target.exited()) {
    m.fault(rules::access_after_exit,
            "a bulk copy into CTA " + std::to_string(target.linear) + ", which has left",
            {.cure = "who is copied into leaves last"});
  }
  auto task = std::make_unique<CopyTask>();
  task->kind = CopyTask::Kind::bulk_send;
  task->source_cta = &m.cta();
  task->target_cta = &target;
  task->source = window_offset(shared, bytes, 16, "a bulk copy to a peer CTA");
  task->shared = window_offset(shared_target, bytes, 16, "a bulk copy to a peer CTA");
  task->barrier = window_offset(barrier, 8, 8, "a bulk copy's mbarrier");
  task->bytes = bytes;
  check_load_barrier(target, task->barrier, "a bulk copy to a peer CTA");
  task->completion = &m.completions.emplace_back();
  begin_read(m.cta(), task->source, bytes, *task->completion, Party::load,
             "a bulk copy to a peer CTA");
  begin_write(target, task->shared, bytes, *task->completion, "a bulk copy to a peer CTA");
  enqueue(std::move(task));
}

void store_async(void* shared_target, const void* value, unsigned bytes, void* barrier,
                 unsigned cta_rank) {
  Machine& m = machine();
  constexpr const char* name = "a store to a peer CTA";
  if (m.cta().cluster->ctas.size() == 1) {
    m.fault(rules::store_needs_cluster, "st.async in a launch without a cluster");
  }
  Cta& target = m.cluster_cta(cta_rank);
  if (target.exited()) {
    m.fault(rules::access_after_exit,
            std::string(name) + ": CTA " + std::to_string(target.linear) + " has left",
            {.cure = "who is stored into leaves last"});
  }
  auto task = std::make_unique<CopyTask>();
  task->kind = CopyTask::Kind::remote_store;
  task->target_cta = &target;
  task->shared = window_offset(shared_target, bytes, bytes, name);
  task->barrier = window_offset(barrier, 8, 8, "the mbarrier of a store to a peer CTA");
  task->bytes = bytes;
  const auto* from = static_cast<const unsigned char*>(value);
  task->staging.assign(from, from + bytes);
  check_load_barrier(target, task->barrier, name);
  task->completion = &m.completions.emplace_back();
  begin_write(target, task->shared, bytes, *task->completion, name, Party::remote_store);
  // The complete_tx releases at cluster scope: what its thread knew goes along.
  task->carried = std::make_unique<Knowledge>();
  release_into(m.thread(), *task->carried);
  enqueue(std::move(task));
}

}  // namespace warpline::simulator
