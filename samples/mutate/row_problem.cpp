#include "samples/mutate/row_problem.h"

namespace sample {

using warpline::simulator::Change;
using warpline::simulator::Instruction;

std::vector<__half> row_numbers(std::size_t count, std::uint32_t seed) {
  std::vector<__half> numbers(count);
  std::uint32_t state = seed;
  for (__half& number : numbers) {
    state = state * 1664525 + 1013904223;
    number = __float2half(static_cast<float>(state >> 24) / 64.0F - 2.0F);
  }
  return numbers;
}

std::string why_rows_are_equivalent(const warpline::simulator::MutationSite& site,
                                    const warpline::simulator::Mutant& mutant) {
  if (site.role != "producer") {
    return {};
  }
  if (site.instruction == Instruction::syncwarp && mutant.change == Change::delay) {
    return "the leader has waited itself for the stage that it stores to, the other lanes access "
           "nothing, and the copies still come after the meeting";
  }
  // (Of the tensor's first elements it is reported.)
  if (site.instruction == Instruction::fence_proxy_async && site.file.ends_with("row_loader.h")) {
    return "the tensor's tail is in the last stage that its CTA fills: no copy comes over it";
  }
  return {};
}

}  // namespace sample
