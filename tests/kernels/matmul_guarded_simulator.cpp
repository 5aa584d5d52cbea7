// A kernel that fills by threads reads no byte outside of its operands: they lie between pages that
// may not be touched, or between rows that are being written.
#include <algorithm>
#include <cstring>

#include "tests/kernels/matmul_task_case.h"
#include "tests/support/catch.h"
#include "tests/support/guarded_memory.h"

namespace warpline::tests::inline WARPLINE_TARGET {
namespace {

/// Some 16-bit elements in guarded memory.
class GuardedElements {
 public:
  GuardedElements(std::int64_t count, bool at_end)
      : memory_(static_cast<std::size_t>(count) * 2, at_end) {
    for (std::int64_t i = 0; i < count; ++i) {
      data()[i] = __float2half(static_cast<float>(i % 5) - 2);
    }
  }

  __half* data() const { return reinterpret_cast<__half*>(memory_.data()); }

 private:
  GuardedMemory memory_;
};

void run_line(const MatmulLine& line, const MatmulTask& task) {
  struct alignas(64) Block {
    unsigned char bytes[64];
  };
  std::vector<Block> arguments(line.argument_bytes / sizeof(Block) + 1);
  line.encode(task, arguments.data());
  line.launch(task, simulator::Options{}, arguments.data());
}

TEST_CASE("filling by threads reads nothing outside of its operands") {
  for (const MatmulLine& line : matmul_lines()) {
    if (line.fill != Fill::threads || line.type != ElementType::fp16) {
      continue;
    }
    for (const bool at_end : {false, true}) {
      for (const bool along_k : {true, false}) {
        for (const std::int64_t k : {1, 63, 131, 200}) {
          for (const std::int64_t mn : {1, 17, 137}) {
            INFO("K " << k << ", M and N " << mn << ", at the " << (at_end ? "end" : "start"));
            const GuardedElements a(mn * k, at_end);
            const GuardedElements b(mn * k, at_end);
            const DeviceArray<float> d(std::vector<float>(static_cast<std::size_t>(mn * mn)));
            const MatmulTask::Operand way{.mn_stride = along_k ? k : 1,
                                          .k_stride = along_k ? 1 : mn};
            const MatmulTask task{.m = mn,
                                  .n = mn,
                                  .k = k,
                                  .a = {a.data(), way.mn_stride, way.k_stride, 0},
                                  .b = {b.data(), way.mn_stride, way.k_stride, 0},
                                  .d = d.data(),
                                  .d_type = ElementType::fp32,
                                  .d_row_stride = mn};
            run_line(line, task);
            const std::vector<float> found = d.values();
            for (std::int64_t m = 0; m < mn; ++m) {
              for (std::int64_t n = 0; n < mn; ++n) {
                float sum = 0;
                for (std::int64_t i = 0; i < k; ++i) {
                  sum += __half2float(a.data()[m * way.mn_stride + i * way.k_stride]) *
                         __half2float(b.data()[n * way.mn_stride + i * way.k_stride]);
                }
                REQUIRE(found[static_cast<std::size_t>(m * mn + n)] == sum);
              }
            }
          }
        }
      }
    }
  }
}

/// A's rows and D's alternate, so that every byte beside A's rows is being written: the simulator
/// reports a race if it is read.
TEST_CASE("filling by threads reads nothing between an operand's rows") {
  constexpr std::int64_t m = 200;
  constexpr std::int64_t n = 299;
  const std::vector<__half> b(static_cast<std::size_t>(n * 200), __float2half(1));
  const DeviceArray<__half> device_b(b);
  for (const MatmulLine& line : matmul_lines()) {
    if (line.fill != Fill::threads || line.type != ElementType::fp16) {
      continue;
    }
    for (const std::int64_t k : {65, 131, 200}) {
      for (const std::int64_t between : {0, 1}) {
        const std::int64_t stride = k + n + between;
        const DeviceArray<__half> rows(
            std::vector<__half>(static_cast<std::size_t>(m * stride), __float2half(1)));
        const MatmulTask task{.m = m,
                              .n = n,
                              .k = k,
                              .a = {rows.data(), stride, 1, 0},
                              .b = {device_b.data(), k, 1, 0},
                              .d = rows.data() + k,
                              .d_row_stride = stride};
        run_line(line, task);
        const std::vector<__half> found = rows.values();
        for (std::int64_t row = 0; row < m; ++row) {
          for (std::int64_t column = 0; column < k + n; ++column) {
            const float expected = column < k ? 1.0f : static_cast<float>(k);
            REQUIRE(__half2float(found[static_cast<std::size_t>(row * stride + column)]) ==
                    expected);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpline::tests::inline WARPLINE_TARGET
