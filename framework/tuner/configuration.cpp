#include "tuner/configuration.h"

#include <algorithm>

namespace warpline::tuner {

std::string to_string(const Values& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(value);
  }
  return text;
}

bool same(const Values& a, const Values& b) {
  return a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin());
}

}  // namespace warpline::tuner
