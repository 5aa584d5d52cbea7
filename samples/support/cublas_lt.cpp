// cublasLtMatmul with each of the library's first eight suggestions. The prototypes are declared
// here.
#include <fmt/core.h>

#include <array>

#include "samples/support/shared_library.h"
#include "samples/support/vendor.h"
#include "warpline/error.h"

namespace sample {

namespace {

// From cublasLt.h, cublas_api.h and library_types.h.
constexpr int op_n = 0;
constexpr int op_t = 1;
constexpr int type_fp32 = 0;
constexpr int type_fp16 = 2;
constexpr int type_bf16 = 14;
constexpr int compute_fp32 = 68;
constexpr int desc_trans_a = 3;
constexpr int desc_trans_b = 4;
constexpr int preference_max_workspace = 1;

struct Algorithm {
  std::uint64_t data[8];
};
struct Suggestion {
  Algorithm algorithm;
  std::size_t workspace_bytes;
  int status;
  float waves;
  int reserved[4];
};
constexpr int max_suggestions = 8;

using Create = int(void** handle);
using DescCreate = int(void** desc, int compute_type, int scale_type);
using LayoutCreate = int(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                         std::int64_t stride);
using SetAttribute = int(void* object, int attribute, const void* value, std::size_t bytes);
using Destroy = int(void* object);
using Suggest = int(void* handle, void* desc, void* a, void* b, void* c, void* d, void* preference,
                    int wanted, Suggestion* found, int* count);
using Matmul = int(void* handle, void* desc, const void* alpha, const void* a, void* a_layout,
                   const void* b, void* b_layout, const void* beta, const void* c, void* c_layout,
                   void* d, void* d_layout, const Algorithm* algorithm, void* workspace,
                   std::size_t workspace_bytes, void* stream);

void check(int status, const char* doing) {
  if (status != 0) {
    throw warpline::Error(fmt::format("{}: cuBLAS status {}", doing, status));
  }
}

using Version = std::size_t();

struct Functions {
  explicit Functions(const SharedLibrary& library)
      : create(library.function<Create>("cublasLtCreate")),
        desc_create(library.function<DescCreate>("cublasLtMatmulDescCreate")),
        desc_set(library.function<SetAttribute>("cublasLtMatmulDescSetAttribute")),
        layout_create(library.function<LayoutCreate>("cublasLtMatrixLayoutCreate")),
        layout_destroy(library.function<Destroy>("cublasLtMatrixLayoutDestroy")),
        preference_create(library.function<Create>("cublasLtMatmulPreferenceCreate")),
        preference_set(library.function<SetAttribute>("cublasLtMatmulPreferenceSetAttribute")),
        suggest(library.function<Suggest>("cublasLtMatmulAlgoGetHeuristic")),
        matmul(library.function<Matmul>("cublasLtMatmul")),
        version(library.function<Version>("cublasLtGetVersion")) {}

  bool complete() const {
    return create != nullptr && desc_create != nullptr && desc_set != nullptr &&
           layout_create != nullptr && layout_destroy != nullptr && preference_create != nullptr &&
           preference_set != nullptr && suggest != nullptr && matmul != nullptr;
  }

  Create* create;
  DescCreate* desc_create;
  SetAttribute* desc_set;
  LayoutCreate* layout_create;
  Destroy* layout_destroy;
  Create* preference_create;
  SetAttribute* preference_set;
  Suggest* suggest;
  Matmul* matmul;
  Version* version;  // may be null
};

class CublasLt : public Vendor {
 public:
  CublasLt(const Functions& functions, const Workspace& workspace)
      : call_(functions), workspace_(workspace) {
    check(call_.create(&handle_), "cannot start cublasLt");
    check(call_.desc_create(&desc_, compute_fp32, type_fp32), "cublasLt descriptor");
    check(call_.desc_set(desc_, desc_trans_a, &op_t, sizeof op_t), "cublasLt descriptor");
    check(call_.desc_set(desc_, desc_trans_b, &op_n, sizeof op_n), "cublasLt descriptor");
    check(call_.preference_create(&preference_), "cublasLt preference");
    check(call_.preference_set(preference_, preference_max_workspace, &workspace_.bytes,
                               sizeof workspace_.bytes),
          "cublasLt preference");
  }

  const char* name() const override { return "cublasLt (best of 8)"; }
  std::string version() const override {
    return call_.version == nullptr ? "" : std::to_string(call_.version());
  }

  /// Operands as in cublas.cpp: the first is our B, the second our A.
  int prepare(const warpline::MatmulProblem& p, warpline::ElementType element) override {
    const int type = element == warpline::ElementType::bf16 ? type_bf16 : type_fp16;
    const auto layout = [&](void*& to, std::int64_t rows, std::int64_t columns,
                            std::int64_t stride) {
      if (to != nullptr) {
        call_.layout_destroy(to);
      }
      check(call_.layout_create(&to, type, static_cast<std::uint64_t>(rows),
                                static_cast<std::uint64_t>(columns), stride),
            "cublasLt layout");
    };
    layout(b_, p.k, p.n, p.b_stride);
    layout(a_, p.k, p.m, p.a_stride);
    layout(c_, p.n, p.m, p.c_stride);
    int count = 0;
    check(call_.suggest(handle_, desc_, b_, a_, c_, c_, preference_, max_suggestions,
                        suggestions_.data(), &count),
          "cublasLtMatmulAlgoGetHeuristic");
    chosen_ = 0;
    return count;
  }

  void choose(int candidate) override { chosen_ = static_cast<std::size_t>(candidate); }

  void matmul(const warpline::MatmulProblem& p, void* stream) override {
    constexpr float alpha = 1;
    constexpr float beta = 0;
    check(call_.matmul(handle_, desc_, &alpha, p.b, b_, p.a, a_, &beta, p.c, c_, p.c, c_,
                       &suggestions_[chosen_].algorithm, workspace_.data, workspace_.bytes, stream),
          "cublasLtMatmul");
  }

 private:
  Functions call_;
  Workspace workspace_;
  // The handles live as long as the process.
  void* handle_ = nullptr;
  void* desc_ = nullptr;
  void* preference_ = nullptr;
  void* a_ = nullptr;
  void* b_ = nullptr;
  void* c_ = nullptr;
  std::array<Suggestion, max_suggestions> suggestions_{};
  std::size_t chosen_ = 0;
};

}  // namespace

std::unique_ptr<Vendor> open_cublas_lt(const Workspace& workspace, std::string& why_not) {
  const SharedLibrary library({"libcublasLt.so.13", "libcublasLt.so.12"}, cuda_library_folders());
  if (!library) {
    why_not = "no cublasLt found (libcublasLt.so.13 or .12)";
    return nullptr;
  }
  const Functions functions(library);
  if (!functions.complete()) {
    why_not = "the cublasLt found lacks functions";
    return nullptr;
  }
  return std::make_unique<CublasLt>(functions, workspace);
}

}  // namespace sample
