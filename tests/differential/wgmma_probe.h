// A sequence of wgmma instructions, described by plain numbers, so that one kernel for each N
// covers every layout. What an instruction fixes at compile time (type, majors, negation, where A
// comes from) is a variant; what the descriptors say is an argument.
#pragma once

#include <algorithm>
#include <cstring>

#include "tests/differential/probe.h"
#include "warpline/isa/bulk_copy.h"
#include "warpline/isa/wgmma.h"

namespace warpline::tests::inline WARPLINE_TARGET {

struct WgmmaVariant {
  isa::WgmmaOptions options;
  bool register_a;
};

inline constexpr int wgmma_variants = 12;

/// All of fp16/bf16 x majors of A and B, and A from registers x major of B. Which operands are
/// negated goes round with N, so that every variant meets every negation.
WARPLINE_HOST_DEVICE constexpr WgmmaVariant wgmma_variant(int n, int index) {
  const int negation = (index * 5 + n / 8) % 4;
  const bool register_a = index >= 8;
  return {.options = {.type = index % 2 == 0 ? isa::WgmmaType::fp16 : isa::WgmmaType::bf16,
                      .a = !register_a && index / 4 % 2 == 1 ? isa::Major::mn : isa::Major::k,
                      .b = index / 2 % 2 == 1 ? isa::Major::mn : isa::Major::k,
                      .negate_a = negation % 2 == 1,
                      .negate_b = negation / 2 == 1},
          .register_a = register_a};
}

/// An operand's place and layout, in bytes, as the matrix descriptor has them.
struct WgmmaOperand {
  uint32_t start;  ///< from a multiple of 1024
  uint32_t leading;
  uint32_t stride;
  uint32_t layout;  ///< isa::DescriptorLayout
};

struct WgmmaStep {
  WgmmaOperand a;
  WgmmaOperand b;
  bool accumulate;
};

inline constexpr int max_wgmma_steps = 4;
inline constexpr uint32_t wgmma_image_bytes = 160 * 1024;

struct WgmmaArguments {
  const unsigned char* image;  ///< of shared memory
  uint32_t image_bytes;
  const uint32_t* fragments;  ///< of A, [step][thread][4]
  float* out;                 ///< [thread][N / 2]
  WgmmaStep steps[max_wgmma_steps];
  int count;
  int variant;
};

/// What register i of a thread holds before the first wgmma.
WARPLINE_HOST_DEVICE constexpr float initial_accumulator(uint32_t thread, int i) {
  return static_cast<float>((static_cast<int>(thread) * 3 + i * 5) % 7 - 3);
}

template <int N>
struct WgmmaProbe {
  using Roles = RoleList<ProbeRole>;
  using Arguments = WgmmaArguments;
  struct SharedMemory {
    alignas(1024) unsigned char image[wgmma_image_bytes];
    isa::Mbarrier full;
  };
  static constexpr LaunchConfig launch{.name = "wgmma probe"};

  static WARPLINE_DEVICE isa::MatrixDescriptor descriptor(const SharedMemory& shared,
                                                          const WgmmaOperand& operand) {
    return isa::make_descriptor(isa::shared_address(shared.image) + operand.start, operand.leading,
                                operand.stride, static_cast<isa::DescriptorLayout>(operand.layout));
  }

  template <int Variant>
  static WARPLINE_DEVICE void multiply(const Arguments& args, const SharedMemory& shared,
                                       float (&d)[N / 2]) {
    constexpr WgmmaVariant variant = wgmma_variant(N, Variant);
    const uint32_t thread = isa::thread_index();
    isa::hold_registers(d);
    WARPLINE_NO_UNROLL
    for (int s = 0; s < args.count; ++s) {
      const WgmmaStep& step = args.steps[s];
      const isa::MatrixDescriptor b = descriptor(shared, step.b);
      if constexpr (variant.register_a) {
        uint32_t a[4];
        for (int i = 0; i < 4; ++i) {
          a[i] = isa::load_global(
              &args.fragments[(static_cast<uint32_t>(s) * probe_threads + thread) * 4 +
                              static_cast<uint32_t>(i)]);
        }
        isa::wgmma_fence();
        isa::wgmma_register_a<N, variant.options>(d, a, b, step.accumulate);
        isa::wgmma_commit_group();
        isa::wgmma_wait_group<0>();  // before the next step reuses the A registers
      } else {
        isa::wgmma_fence();
        isa::wgmma<N, variant.options>(d, descriptor(shared, step.a), b, step.accumulate);
        isa::wgmma_commit_group();
      }
    }
    isa::wgmma_wait_group<0>();
    isa::hold_registers(d);
  }

  WARPLINE_DEVICE void operator()(const Arguments& args, SharedMemory& shared) const {
    init_barriers(&shared.full, 1, 1);
    if (isa::thread_index() == 0) {
      isa::mbarrier_arrive_expect_tx(shared.full, args.image_bytes);
      isa::bulk_load(shared.image, args.image, args.image_bytes, shared.full);
    }
    bounded_wait(shared.full, 0);
    const uint32_t thread = isa::thread_index();
    // Once for all variants: of what the compilers took for a probe, this was half.
    float d[N / 2];
    WARPLINE_UNROLL
    for (int i = 0; i < N / 2; ++i) {
      d[i] = initial_accumulator(thread, i);
    }
    static_for<0, wgmma_variants>([&](auto index) {
      constexpr int variant = decltype(index)::value;
      if (args.variant == variant) {
        multiply<variant>(args, shared, d);
      }
    });
    WARPLINE_UNROLL
    for (int i = 0; i < N / 2; ++i) {
      isa::store_global(&args.out[thread * (N / 2) + static_cast<uint32_t>(i)], d[i]);
    }
  }
};

/// Runs WgmmaProbe<N>. Instantiated for N = 8, 16, ..., 256 in the wgmma_units_*.cpp, which share
/// out the work.
template <int N>
void run_wgmma(const Stream& stream, const WgmmaArguments& arguments);

}  // namespace warpline::tests::inline WARPLINE_TARGET
