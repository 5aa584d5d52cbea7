// The one exception type of host calls. Its text names the operand, the value and the rule that it
// broke.
#pragma once

#include <stdexcept>
#include <string>

namespace warpline {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace warpline
