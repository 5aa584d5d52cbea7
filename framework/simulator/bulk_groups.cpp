// Bulk groups: how a thread learns that its stores by the copy engine are done.
#include "simulator/machine.h"

namespace warpline::simulator {

void bulk_commit_group() {
  if (mutated({.instruction = Instruction::bulk_commit_group})) {
    return;
  }
  BulkGroups& groups = machine().thread().bulk;
  ++groups.open;
  groups.unread.resize(groups.open + 1);
  groups.unwritten.resize(groups.open + 1);
}

namespace {

void bulk_wait(unsigned pending, Wait::Kind kind) {
  Machine& m = machine();
  const BulkGroups& groups = m.thread().bulk;
  const std::uint64_t target = groups.open > pending ? groups.open - pending : 0;
  const bool done =
      kind == Wait::Kind::bulk_read ? groups.read_up_to(target) : groups.written_up_to(target);
  if (!done) {
    m.block({.kind = kind, .target = target});
  }
  for (std::uint64_t group = 0; group < target; ++group) {
    m.touch(kind == Wait::Kind::bulk_read ? ObjectType::bulk_read : ObjectType::bulk_write,
            m.thread().warp->process, group, Touch::Kind::wait, 1);
  }
  VectorClock& known = m.thread().knowledge.all;
  if (groups.read_actor != 0) {
    known.raise(groups.read_actor, static_cast<std::uint32_t>(target));
    if (kind == Wait::Kind::bulk_write) {
      known.raise(groups.write_actor, static_cast<std::uint32_t>(target));
    }
  }
  m.preempt();
}

}  // namespace

void bulk_wait_group_read(unsigned pending) {
  if (mutated({.instruction = Instruction::bulk_wait_group_read, .value = pending})) {
    return;
  }
  bulk_wait(pending, Wait::Kind::bulk_read);
}

void bulk_wait_group(unsigned pending) {
  if (mutated({.instruction = Instruction::bulk_wait_group, .value = pending})) {
    return;
  }
  bulk_wait(pending, Wait::Kind::bulk_write);
}

}  // namespace warpline::simulator
