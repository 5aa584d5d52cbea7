// Compiled once per target: the tables of that target's normalization kernels.
#include "normalization/norm_lines.h"

#include "normalization/norm_forward.h"
#include "rows/unit.h"

namespace warpline {

inline namespace WARPLINE_TARGET {
namespace {

template <template <class, bool> class Norm>
std::vector<RowLine> all_lines() {
  std::vector<RowLine> lines;
  collect_rows<Norm<__half, false>>(lines);
  collect_rows<Norm<__half, true>>(lines);
  collect_rows<Norm<__nv_bfloat16, false>>(lines);
  collect_rows<Norm<__nv_bfloat16, true>>(lines);
  collect_rows<Norm<float, false>>(lines);
  collect_rows<Norm<float, true>>(lines);
  return lines;
}

}  // namespace

const std::vector<RowLine>* table(NormKind kind) {
  static const std::vector<RowLine> rms = all_lines<RmsNormForward>();
  static const std::vector<RowLine> layer = all_lines<LayerNormForward>();
  return kind == NormKind::rms ? &rms : &layer;
}

}  // namespace WARPLINE_TARGET

}  // namespace warpline

#if WARPLINE_ON_GPU
const std::vector<warpline::RowLine>* warpline_norm_gpu_lines(warpline::NormKind kind) {
#else
const std::vector<warpline::RowLine>* warpline_norm_simulator_lines(warpline::NormKind kind) {
#endif
  return warpline::table(kind);
}
