// Copies under way, and the groups by which their issuers wait for them. Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/access_history.h"
#include "simulator/explorer.h"
#include "simulator/tensor_map.h"

namespace warpline::simulator {

struct Cta;
struct Thread;

/// One copy by the copy engine. A load delivers at once, some time after it was issued; a store
/// first reads its shared memory and later writes global memory.
struct CopyTask {
  enum class Kind { tensor_load, tensor_store, bulk_load, bulk_store, bulk_send, remote_store };
  Kind kind;
  Thread* issuer;
  Cta* source_cta = nullptr;  ///< whose shared memory is read
  Cta* target_cta = nullptr;  ///< whose shared memory is written
  TensorMapData map;
  std::int32_t coordinates[5] = {};
  std::uint32_t shared = 0;  ///< offset in the window
  std::uint32_t source = 0;  ///< offset in the window, of bulk_send
  unsigned char* global = nullptr;
  std::uint32_t bytes = 0;
  std::uint32_t barrier = 0;
  std::uint64_t group = 0;
  bool has_read = false;
  Completion* completion = nullptr;        ///< of the accesses to shared memory
  Completion* write_completion = nullptr;  ///< of a store's writes to global memory
  std::vector<unsigned char> staging;
  std::unique_ptr<Knowledge> carried;  ///< of remote_store: what its completion tells
  ProcessId process = 0;
  std::uint32_t priority = 0;
  std::uint32_t site = 0;    ///< in Machine::sites: where it was issued
  std::uint64_t issued = 0;  ///< Policy::timed, as is the next: when its next step is over
  std::uint64_t due = 0;
};

/// A thread's bulk groups: stores are counted until their group is read, and written.
struct BulkGroups {
  std::uint64_t open = 0;        ///< number of the group that the next commit closes
  std::uint32_t read_actor = 0;  ///< 0: not yet handed out
  std::uint32_t write_actor = 0;
  std::vector<std::uint32_t> unread;     ///< per group: stores that have not read
  std::vector<std::uint32_t> unwritten;  ///< per group: stores that have not written
  bool read_up_to(std::uint64_t group) const {
    for (std::uint64_t g = 0; g < group && g < unread.size(); ++g) {
      if (unread[g] != 0) {
        return false;
      }
    }
    return true;
  }
  bool written_up_to(std::uint64_t group) const {
    for (std::uint64_t g = 0; g < group && g < unwritten.size(); ++g) {
      if (unwritten[g] != 0) {
        return false;
      }
    }
    return true;
  }
};

/// The copy engine takes one step of a task. True if that was its last.
bool advance_copy(CopyTask& task);

}  // namespace warpline::simulator
