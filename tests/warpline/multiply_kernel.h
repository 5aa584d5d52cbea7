// A small persistent matmul, to try the ways in which a consumer can treat its stages.
#pragma once

#include "tests/warpline/product.h"
#include "warpline/deferred_release.h"

namespace warpline::tests::inline WARPLINE_TARGET {

enum class Treatment {
  release_after,    ///< multiply, wait, release
  end_of_scope,     ///< the slot's destructor waits and releases
  break_out,        ///< the same, leaving the loop with the last multiply just issued
  deferred,         ///< one multiply in flight
  skip,             ///< every third k tile is committed with zero bytes and not multiplied
  skip_by_default,  ///< the same, but nothing says so: the slots just go out of scope
  skip_deferred,    ///< and with one multiply in flight
};

struct MultiplyConfig {
  int stages = 3;
  Release release = Release::per_warp;
  Treatment treatment = Treatment::release_after;
  bool unrolled = false;
};

template <MultiplyConfig Config>
struct MultiplyKernel {
  using Product = tests::Product<64, 8>;
  using Stage = typename Product::Stage;
  using Arguments = typename Product::Arguments;
  static constexpr bool skips = Config.treatment == Treatment::skip ||
                                Config.treatment == Treatment::skip_by_default ||
                                Config.treatment == Treatment::skip_deferred;
  static constexpr bool defers =
      Config.treatment == Treatment::deferred || Config.treatment == Treatment::skip_deferred;
  using Producer = MultiplyProducer;
  using Consumer = MultiplyConsumer;
  using Roles = RoleList<Consumer, Producer>;
  using Ring = Pipeline<Stage, PipelineConfig{.stages = Config.stages, .release = Config.release},
                        FilledByCopies<Producer>, ReadByTensorCores<Consumer>>;
  struct SharedMemory {
    typename Ring::Storage ring;
  };
  static constexpr LaunchConfig launch{.name = "multiply"};

  /// Calls body(slot) for each stage of `end`, in the form that the configuration asks for.
  template <class End, class Body>
  static WARPLINE_DEVICE void fill(End& end, int count, Body body) {
    if constexpr (Config.unrolled) {
      end.fill(count, body);
    } else {
      for (auto slot : end.fill(count)) {
        body(slot);
      }
    }
  }
  template <class End, class Body>
  static WARPLINE_DEVICE void read(End& end, int count, Body body) {
    if constexpr (Config.unrolled) {
      end.read(count, body);
    } else if constexpr (Config.treatment == Treatment::break_out) {
      int left = count;
      for (auto slot : end.read(count > 0 ? 1000 : 0)) {
        body(slot);
        if (--left == 0) {
          break;
        }
      }
    } else {
      for (auto slot : end.read(count)) {
        body(slot);
      }
    }
  }

  static WARPLINE_HOST_DEVICE bool skipped(int k) { return skips && k % 3 == 2; }

  WARPLINE_DEVICE void operator()(const Arguments& arguments, SharedMemory& shared) const {
    Ring ring(shared.ring);
    dispatch<Roles>(
        [&](const ThreadGroup<Roles, Producer>& group) {
          auto end = ring.producer(group);
          for (int tile = 0; tile < arguments.tiles(); ++tile) {
            int k = 0;
            fill(end, arguments.k_tiles, [&](auto& slot) {
              if (!skipped(k)) {
                slot.load(slot->a, arguments.a, {arguments.row(tile), k * Product::depth});
                slot.load(slot->b, arguments.b, {arguments.column(tile), k * Product::depth});
              } else if (Config.treatment != Treatment::skip_by_default) {
                slot.skip();
              }
              ++k;
            });
          }
        },
        [&](const ThreadGroup<Roles, Consumer>& group) {
          auto end = ring.consumer(group);
          Accumulator<Product::rows, Product::columns> sums;
          DeferredRelease deferred(end);
          for (int tile = 0; tile < arguments.tiles(); ++tile) {
            sums.clear();
            int k = 0;
            read(end, arguments.k_tiles, [&](auto& slot) {
              if (skipped(k)) {
                if constexpr (defers) {
                  deferred.skip(slot);
                } else if constexpr (Config.treatment != Treatment::skip_by_default) {
                  slot.release_unread();
                }
              } else if constexpr (defers) {
                deferred.push(slot, mma(sums, slot->a, slot->b));
              } else {
                const auto done = mma(sums, slot->a, slot->b);
                if constexpr (Config.treatment == Treatment::end_of_scope) {
                  done.wait();
                } else if constexpr (Config.treatment == Treatment::break_out) {
                  (void)done;
                } else {
                  slot.release_after(done);
                }
              }
              ++k;
            });
            if constexpr (defers) {
              deferred.flush(sums);
            }
            sums.hold();
            arguments.store(sums, tile, 0, group.thread_rank());
          }
        });
  }
};

template <MultiplyConfig Config>
void check_multiply(int grid, int k_tiles, int seeds) {
  using Kernel = MultiplyKernel<Config>;
  INFO("stages " << Config.stages << ", release " << static_cast<int>(Config.release)
                 << ", treatment " << static_cast<int>(Config.treatment) << ", unrolled "
                 << Config.unrolled);
  check_product<Kernel>(grid, k_tiles, seeds, [](int k) { return Kernel::skipped(k) ? 0 : 1; });
}

}  // namespace warpline::tests::inline WARPLINE_TARGET
