// expect: no function given to dispatch takes this role's ThreadGroup
//
// The producer has no code, the consumer twice.
#include "warpline/thread_group.h"

namespace warpline::inline WARPLINE_TARGET {

struct Consumer {
  static constexpr RoleConfig config{.name = "consumer", .warps = 4, .multiplies = true};
};
struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 1};
};
using Roles = RoleList<Consumer, Producer>;
using ForConsumer = ThreadGroup<Roles, Consumer>;
using ForProducer = ThreadGroup<Roles, Producer>;

WARPLINE_DEVICE void body() {
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
  dispatch<Roles>([](const ForConsumer&) {}, [](const ForProducer&) {});
#else
  dispatch<Roles>([](const ForConsumer&) {}, [](const ForConsumer&) {});
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET
