// The command line asks for something that this program does not have: exit status 2.
#pragma once

#include <stdexcept>

namespace sample {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace sample
