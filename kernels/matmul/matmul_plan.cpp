#include "matmul/catalog.h"
#include "warpline/error.h"

namespace warpline {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(what); }

void check_extent(const char* name, std::int64_t value) {
  if (value < 0 || value > 0x7fffffff) {
    refuse(std::string(name) + " is " + std::to_string(value) + "; 0 to 2^31 - 1 are possible");
  }
}

void check_stride(const char* operand, std::int64_t stride, std::int64_t columns) {
  if (stride < columns) {
    refuse(std::string(operand) + ": its row stride is " + std::to_string(stride) +
           " elements, less than its " + std::to_string(columns) + " columns");
  }
}

void check(const MatmulKernel& kernel, const MatmulProblem& problem) {
  check_extent("M", problem.m);
  check_extent("N", problem.n);
  check_extent("K", problem.k);
  if (problem.raster < 0 || (problem.raster > 0 && !kernel.takes_raster)) {
    refuse("raster is " + std::to_string(problem.raster) + "; " + kernel.name +
           (kernel.takes_raster ? " takes rows of tiles, 0 for its own order"
                                : " has one order of tiles: it takes 0"));
  }
  if (problem.m == 0 || problem.n == 0) {
    return;
  }
  check_stride("A", problem.a_stride, problem.k);
  check_stride("B", problem.b_stride, problem.k);
  check_stride("C", problem.c_stride, problem.n);
  if (problem.c == nullptr) {
    refuse("C: its address is null");
  }
  if (reinterpret_cast<std::uintptr_t>(problem.c) % 2 != 0) {
    refuse("C: its address is odd; fp16 elements need 2-byte alignment");
  }
  if (kernel.static_n != 0 && problem.n != kernel.static_n) {
    refuse(std::string(kernel.name) + " was compiled for N = " + std::to_string(kernel.static_n) +
           ", not " + std::to_string(problem.n));
  }
  if (kernel.static_k != 0 && problem.k != kernel.static_k) {
    refuse(std::string(kernel.name) + " was compiled for K = " + std::to_string(kernel.static_k) +
           ", not " + std::to_string(problem.k));
  }
}

}  // namespace

MatmulPlan::MatmulPlan(const MatmulKernel& kernel, const MatmulProblem& problem)
    : kernel_(&kernel), problem_(problem) {
  check(kernel, problem);
  if (problem.m == 0 || problem.n == 0) {
    return;
  }
  arguments_.resize((kernel.argument_bytes + sizeof(Line) - 1) / sizeof(Line));
  kernel.encode(problem, arguments_.data());
}

void MatmulPlan::run(const MatmulPlace& place) const {
  if (problem_.m != 0 && problem_.n != 0) {
    kernel_->launch(problem_, place, arguments_.data());
  }
}

}  // namespace warpline
