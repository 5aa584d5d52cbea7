// expect: give dispatch the kernel's launch registers
//
// What roles ask for can be checked only against what the CTA has.
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
  dispatch<Roles>([](const ForConsumer&) {}, [](const ForProducer&) {});
#endif
}

}  // namespace warpline::inline WARPLINE_TARGET
