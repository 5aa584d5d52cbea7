#include "report.h"

#include <fmt/core.h>

#include <cmath>

#include "kernel_choice.h"

namespace sample {

namespace {

std::string check_line(const Result& result) {
  if (!result.correct || !result.relative_error) {
    return "not checked\n";
  }
  const bool all = result.compared_rows == result.size.m;
  std::string text = fmt::format(
      "relative error {:.2e} against fp64 ({})", *result.relative_error,
      all ? "all rows" : fmt::format("{} of {} rows", result.compared_rows, result.size.m));
  if (result.vendor_difference) {
    text += fmt::format(", {:.2e} against {} (all)", *result.vendor_difference, result.vendor_name);
  }
  return text + (*result.correct ? ": correct\n" : ": WRONG\n");
}

std::string speed_line(const char* name, const Result& result, const Speed& speed) {
  std::string text = fmt::format("{:<10}{:>9.4f} ms {:>7.1f} TFLOPS", name, speed.milliseconds,
                                 tflops(result.size, speed.milliseconds));
  if (speed.ratio && speed.vendor_milliseconds) {
    text +=
        fmt::format("   {:.3f} of {} ({:.1f} TFLOPS), {} pairs", *speed.ratio, result.vendor_name,
                    tflops(result.size, *speed.vendor_milliseconds), speed.pairs);
  }
  if (speed.sm_clock_mhz) {
    text += fmt::format(", SM clock {} MHz", *speed.sm_clock_mhz);
  }
  return text + "\n";
}

std::string number_or_dash(const std::optional<double>& number) {
  return number ? fmt::format("{:.3f}", *number) : "-";
}

}  // namespace

std::string report_of(const Result& result, const std::string& place) {
  const Size& size = result.size;
  std::string text =
      fmt::format("{}, {}, on {}\n", result.kernel->name, tile_of(*result.kernel), place);
  text += fmt::format("C[{},{}] = A[{},{}] * B[{},{}]^T, fp16, accumulated in fp32\n", size.m,
                      size.n, size.m, size.k, size.n, size.k);
  text += check_line(result);
  if (result.cool) {
    text += speed_line("cool", result, *result.cool);
  }
  if (result.sustained) {
    text += speed_line("sustained", result, *result.sustained);
  }
  return text;
}

std::string sweep_head(const Result& result) {
  std::string text =
      fmt::format("{:<32}{:>4}{:>4}{:>4}{:>7}{:>10}", "kernel", "m", "n", "k", "stages", "error");
  if (result.cool) {
    text += fmt::format("{:>10}{:>8}{:>7}{:>7}{:>6}", "ms", "TFLOPS", "cool", "sust.", "MHz");
  }
  return text + "\n";
}

std::string sweep_line(const Result& result) {
  const warpline::MatmulKernel& kernel = *result.kernel;
  std::string text =
      fmt::format("{:<32}{:>4}{:>4}{:>4}{:>7}{:>10}", kernel.name, kernel.block_m, kernel.block_n,
                  kernel.block_k, kernel.stages,
                  result.relative_error ? fmt::format("{:.2e}", *result.relative_error) : "-");
  if (result.cool && result.sustained) {
    const int clock = result.cool->sm_clock_mhz.value_or(0);
    text += fmt::format("{:>10.4f}{:>8.1f}{:>7}{:>7}{:>6}", result.cool->milliseconds,
                        tflops(result.size, result.cool->milliseconds),
                        number_or_dash(result.cool->ratio), number_or_dash(result.sustained->ratio),
                        clock == 0 ? "-" : std::to_string(clock));
  }
  if (!result.complaint.empty()) {
    text += "  WRONG";
  }
  return text + "\n";
}

}  // namespace sample
