// Accumulator and mma: a warpgroup's tile of fp32 sums, and the multiply that adds to it.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

#include "warpline/isa/annotate.h"
#include "warpline/isa/fence.h"
#include "warpline/isa/trace.h"
#include "warpline/operand.h"

namespace warpline::inline WARPLINE_TARGET {

/// `M` x `N` fp32 sums held by the 128 threads of one warpgroup, in wgmma's layout: M is a multiple
/// of 64, N a multiple of 8 up to 256; M * N / 128 registers per thread. Starts as zero without
/// being zeroed: the first multiply overwrites.
template <int M, int N>
class Accumulator {
 public:
  static constexpr int rows = M;
  static constexpr int columns = N;
  static constexpr int blocks = M / 64;
  static constexpr int registers_per_block = N / 2;

  static_assert(M > 0 && M % 64 == 0, "a warpgroup accumulates a multiple of 64 rows");
  static_assert(N >= 8 && N <= 256 && N % 8 == 0,
                "wgmma multiplies N = 8..256 columns in steps of 8");
  static_assert(M * N / 128 <= 224,
                "the accumulator needs M*N/128 registers per thread, more than a thread has: use "
                "more warpgroups");

  /// Forgets the sums: the next multiply overwrites them.
  WARPLINE_DEVICE void clear() { started_ = false; }

  /// Keeps the compiler from moving register accesses across this point.
  WARPLINE_DEVICE void hold() {
    WARPLINE_UNROLL
    for (int block = 0; block < blocks; ++block) {
      isa::hold_registers(registers_[block]);
    }
  }

  /// Calls `visit(row, column, first, second)` for each pair of neighbouring columns that this
  /// thread holds. `rank` is the thread's index in its warpgroup. Wait for the multiply's token
  /// before.
  template <class Visit>
  WARPLINE_DEVICE void for_each_pair(uint32_t rank, Visit visit,
                                     SourceLine where = SourceLine::current()) const {
    const int row = static_cast<int>(rank / 32 * 16 + rank % 32 / 4);
    const int column = static_cast<int>(rank % 4 * 2);
    WARPLINE_UNROLL
    for (int block = 0; block < blocks; ++block) {
      WARPLINE_UNROLL
      for (int half = 0; half < 2; ++half) {
        WARPLINE_UNROLL
        for (int j = 0; j < N / 8; ++j) {
          visit(block * 64 + row + half * 8, column + j * 8, value(block, j * 4 + half * 2, where),
                value(block, j * 4 + half * 2 + 1, where));
        }
      }
    }
  }

  /// Replaces each pair of neighbouring columns by what `change(row, column, first, second)` makes
  /// of it: it takes the values by reference. Wait for the multiply's token before.
  template <class Change>
  WARPLINE_DEVICE void change_pairs(uint32_t rank, Change change,
                                    SourceLine where = SourceLine::current()) {
    const int row = static_cast<int>(rank / 32 * 16 + rank % 32 / 4);
    const int column = static_cast<int>(rank % 4 * 2);
    WARPLINE_UNROLL
    for (int block = 0; block < blocks; ++block) {
      WARPLINE_UNROLL
      for (int half = 0; half < 2; ++half) {
        WARPLINE_UNROLL
        for (int j = 0; j < N / 8; ++j) {
          float first = value(block, j * 4 + half * 2, where);
          float second = value(block, j * 4 + half * 2 + 1, where);
          change(block * 64 + row + half * 8, column + j * 8, first, second);
          registers_[block][j * 4 + half * 2] = first;
          registers_[block][j * 4 + half * 2 + 1] = second;
        }
      }
    }
    started_ = true;
  }

  /// Replaces each register by what `change(index, value)` returns, index from 0 to M * N / 128, in
  /// the order of value(). Wait for the multiply's token before.
  template <class Change>
  WARPLINE_DEVICE void change_registers(Change change, SourceLine where = SourceLine::current()) {
    WARPLINE_UNROLL
    for (int block = 0; block < blocks; ++block) {
      WARPLINE_UNROLL
      for (int i = 0; i < registers_per_block; ++i) {
        registers_[block][i] = change(block * registers_per_block + i, value(block, i, where));
      }
    }
    started_ = true;
  }

  /// Register `index` of 64-row block `block` (isa::wgmma documents the order); zero before any
  /// multiply.
  WARPLINE_DEVICE float value(int block, int index,
                              SourceLine where = SourceLine::current()) const {
    isa::at_line(where);
    isa::accumulator_read(registers_[block][index]);
    return started_ ? registers_[block][index] : 0.0f;
  }

 private:
  template <class Acc>
  friend class MmaIssue;
  float registers_[blocks][registers_per_block];
  bool started_ = false;
};

/// Proof that a multiply was issued and committed. Give it to the slot whose stage the multiply
/// reads, or wait.
template <class Acc>
class [[nodiscard]] MmaToken {
 public:
  explicit WARPLINE_DEVICE MmaToken(Acc& accumulator) : accumulator_(&accumulator) {}

  /// Waits until at most `Pending` later multiplies of this warpgroup are still running.
  template <int Pending = 0>
  WARPLINE_DEVICE void wait(SourceLine where = SourceLine::current()) const {
    const isa::TraceTime begin = isa::trace_now();
    isa::wgmma_wait_group<Pending>(where);
    isa::trace_span(isa::TraceKind::multiply_wait, {"multiply", Pending}, begin);
    if constexpr (Pending == 0) {
      accumulator_->hold();
    }
  }

 private:
  Acc* accumulator_;
};

struct MmaOptions {
  isa::Major a = isa::Major::k;
  isa::Major b = isa::Major::k;
  bool negate_a = false;
  bool negate_b = false;
};

template <class T>
inline constexpr bool is_mma_element =
    std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

/// Issues the instructions of one multiply. Not for users: mma() below.
template <class Acc>
class MmaIssue {
 public:
  template <MmaOptions Options, class A, class B>
  static WARPLINE_DEVICE MmaToken<Acc> run(Acc& accumulator, const A& a, const B& b) {
    constexpr auto instruction = instruction_options<Options, typename A::Element>();
    static_assert(std::is_same_v<typename A::Element, typename B::Element>,
                  "both operands of mma have the same element type");
    static_assert(A::mn == Acc::rows, "A's rows must be the accumulator's rows");
    static_assert(B::mn == Acc::columns,
                  "B's rows (columns of the product) must be the accumulator's columns");
    static_assert(A::k == B::k, "A and B must have the same K extent");
    accumulator.hold();
    isa::wgmma_fence(SourceLine::inherited());
    WARPLINE_UNROLL
    for (int k = 0; k < A::k; k += A::k_step) {
      WARPLINE_UNROLL
      for (int block = 0; block < Acc::blocks; ++block) {
        isa::wgmma<Acc::columns, instruction>(accumulator.registers_[block], a.at(block * 64, k),
                                              b.at(0, k), accumulator.started_ || k > 0,
                                              SourceLine::inherited());
      }
    }
    isa::wgmma_commit_group(SourceLine::inherited());
    isa::trace_moment(isa::TraceKind::multiply_issue, {"multiply"},
                      A::k / 16 * Acc::blocks * cycles_at_full_rate);
    accumulator.started_ = true;
    return MmaToken<Acc>(accumulator);
  }

  template <MmaOptions Options, class Element, int K, class B>
  static WARPLINE_DEVICE MmaToken<Acc> run_register_a(Acc& accumulator,
                                                      const uint32_t (&a)[K / 16][4], const B& b) {
    constexpr auto instruction = instruction_options<Options, Element>();
    static_assert(Acc::rows == 64, "A in registers is 64 rows per warpgroup");
    static_assert(B::mn == Acc::columns && B::k == K, "B must be K x the accumulator's columns");
    accumulator.hold();
    isa::wgmma_fence(SourceLine::inherited());
    WARPLINE_UNROLL
    for (int k = 0; k < K; k += 16) {
      isa::wgmma_register_a<Acc::columns, instruction>(accumulator.registers_[0], a[k / 16],
                                                       b.at(0, k), accumulator.started_ || k > 0,
                                                       SourceLine::inherited());
    }
    isa::wgmma_commit_group(SourceLine::inherited());
    isa::trace_moment(isa::TraceKind::multiply_issue, {"multiply"}, K / 16 * cycles_at_full_rate);
    accumulator.started_ = true;
    return MmaToken<Acc>(accumulator);
  }

 private:
  /// Of one wgmma: 64 x columns x 16 multiply-adds, 2048 per cycle and multiprocessor.
  static constexpr uint32_t cycles_at_full_rate = Acc::columns / 2;

  template <MmaOptions Options, class Element>
  static WARPLINE_HOST_DEVICE constexpr isa::WgmmaOptions instruction_options() {
    static_assert(is_mma_element<Element>, "mma multiplies __half or __nv_bfloat16");
    return {.type = std::is_same_v<Element, __half> ? isa::WgmmaType::fp16 : isa::WgmmaType::bf16,
            .a = Options.a,
            .b = Options.b,
            .negate_a = Options.negate_a,
            .negate_b = Options.negate_b};
  }
};

/// accumulator += A * B^T for tiles A[M,K] and B[N,K] (Options say where K is not the contiguous
/// dimension). Called by all 128 threads of a warpgroup; returns at once. The accumulator and both
/// tiles belong to the tensor cores until the token was waited for.
template <MmaOptions Options = MmaOptions{}, int M, int N, class A, class B>
WARPLINE_DEVICE auto mma(Accumulator<M, N>& accumulator, const A& a, const B& b,
                         SourceLine where = SourceLine::current()) {
  isa::at_line(where);
  return MmaIssue<Accumulator<M, N>>::template run<Options>(accumulator, operand<Options.a>(a),
                                                            operand<Options.b>(b));
}

/// As mma, with A[64,K] of type `Element` in registers, in the order that isa::wgmma_register_a
/// documents. The registers, too, belong to the tensor cores until the token was waited for.
template <class Element, MmaOptions Options = MmaOptions{}, int N, int KSteps, class B>
WARPLINE_DEVICE auto mma_register_a(Accumulator<64, N>& accumulator, const uint32_t (&a)[KSteps][4],
                                    const B& b, SourceLine where = SourceLine::current()) {
  isa::at_line(where);
  return MmaIssue<Accumulator<64, N>>::template run_register_a<Options, Element, KSteps * 16>(
      accumulator, a, operand<Options.b>(b));
}

}  // namespace warpline::inline WARPLINE_TARGET
