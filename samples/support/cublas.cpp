// cublasGemmEx, from whichever cuBLAS is on the machine. The prototypes are declared here: no
// header is needed.
#include <fmt/core.h>

#include <limits>

#include "samples/support/shared_library.h"
#include "samples/support/vendor.h"
#include "warpline/error.h"

namespace sample {

namespace {

// From cublas_api.h and library_types.h; these values have not changed since CUDA 11.
constexpr int op_n = 0;
constexpr int op_t = 1;
constexpr int type_fp16 = 2;
constexpr int type_bf16 = 14;
constexpr int compute_fp32 = 68;
constexpr int default_algorithm = -1;

using Create = int(void** handle);
using SetStream = int(void* handle, void* stream);
using GemmEx = int(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                   const void* a, int a_type, int a_stride, const void* b, int b_type, int b_stride,
                   const void* beta, void* c, int c_type, int c_stride, int compute_type,
                   int algorithm);

void check(int status, const char* doing) {
  if (status != 0) {
    throw warpline::Error(fmt::format("{}: cuBLAS status {}", doing, status));
  }
}

int as_int(std::int64_t value) {
  if (value > std::numeric_limits<int>::max()) {
    throw warpline::Error(fmt::format("cublasGemmEx cannot take {}: it counts in int", value));
  }
  return static_cast<int>(value);
}

class Cublas : public Vendor {
 public:
  explicit Cublas(const SharedLibrary& library)
      : create_(library.function<Create>("cublasCreate_v2")),
        set_stream_(library.function<SetStream>("cublasSetStream_v2")),
        gemm_ex_(library.function<GemmEx>("cublasGemmEx")) {}

  bool complete() const {
    return create_ != nullptr && set_stream_ != nullptr && gemm_ex_ != nullptr;
  }
  void start() { check(create_(&handle_), "cannot start cuBLAS"); }

  const char* name() const override { return "cublasGemmEx"; }
  int prepare(const warpline::MatmulProblem&, warpline::ElementType type) override {
    type_ = type == warpline::ElementType::bf16 ? type_bf16 : type_fp16;
    return 1;
  }
  void choose(int) override {}

  /// cuBLAS is column-major, where our row-major C[M,N] is C'[N,M] = B * A^T. There B[N,K] is
  /// B'[K,N], to be transposed, and A[M,K] is A'[K,M], as it is.
  void matmul(const warpline::MatmulProblem& p, void* stream) override {
    if (stream != stream_ || !stream_known_) {
      check(set_stream_(handle_, stream), "cannot set cuBLAS' stream");
      stream_ = stream;
      stream_known_ = true;
    }
    constexpr float alpha = 1;
    constexpr float beta = 0;
    check(gemm_ex_(handle_, op_t, op_n, as_int(p.n), as_int(p.m), as_int(p.k), &alpha, p.b, type_,
                   as_int(p.b_stride), p.a, type_, as_int(p.a_stride), &beta, p.c, type_,
                   as_int(p.c_stride), compute_fp32, default_algorithm),
          "cublasGemmEx");
  }

 private:
  Create* create_;
  SetStream* set_stream_;
  GemmEx* gemm_ex_;
  int type_ = type_fp16;
  void* handle_ = nullptr;  // lives as long as the process
  void* stream_ = nullptr;
  bool stream_known_ = false;
};

}  // namespace

std::unique_ptr<Vendor> open_cublas(std::string& why_not) {
  const std::vector<std::string> names = {"libcublas.so.13", "libcublas.so.12"};
  // A wheel's libcublas looks for libcublasLt beside itself, but only the loader's own lookup is
  // sure to agree.
  const SharedLibrary lt({"libcublasLt.so.13", "libcublasLt.so.12"}, cuda_library_folders());
  const SharedLibrary library(names, cuda_library_folders());
  if (!library) {
    why_not = "no cuBLAS found (libcublas.so.13 or .12)";
    return nullptr;
  }
  auto cublas = std::make_unique<Cublas>(library);
  if (!cublas->complete()) {
    why_not = "the cuBLAS found has no cublasGemmEx";
    return nullptr;
  }
  cublas->start();
  return cublas;
}

}  // namespace sample
