// expect: the roles ask for more registers than the CTA was launched with
//
// 8 x 240 + 4 x 24 is 2016, and 12 x 160 only 1920.
#include "warpline/thread_group.h"

namespace warpline::inline WARPLINE_TARGET {

struct Consumer {
  static constexpr RoleConfig config{
      .name = "consumer", .warps = 8, .registers = 240, .multiplies = true};
};
struct Producer {
  static constexpr RoleConfig config{.name = "producer", .warps = 4, .registers = 24};
};
using Roles = RoleList<Consumer, Producer>;
using ForConsumer = ThreadGroup<Roles, Consumer>;
using ForProducer = ThreadGroup<Roles, Producer>;

WARPLINE_DEVICE void body() {
#ifdef WARPLINE_COMPILE_FAIL_CONTROL
  dispatch<Roles, 168>([](const ForConsumer&) {}, [](const ForProducer&) {});
#else
  dispatch<Roles, 160>([](const ForConsumer&) {}, [](const ForProducer&) {});
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET
