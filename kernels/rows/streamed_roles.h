// The roles of a kernel of streamed rows: what each does with the stages of a row.
#pragma once

#include "rows/row_arguments.h"
#include "rows/row_take.h"
#include "warpline/cluster_results.h"
#include "warpline/reduce.h"
#include "warpline/static_for.h"

namespace warpline::inline WARPLINE_TARGET {

/// body(row, part) for the rows of this CTA's cluster.
template <class Arguments, class Body>
WARPLINE_DEVICE void for_each_row(const Arguments& arguments, Body body) {
  const RowPart part = arguments.part_of_row();
  arguments.for_each_unit([&](int row) { body(int64_t{row}, part); });
}

/// body(at) for the stages of a CTA's part of a row, from its element `at` on. One at least, be it
/// empty: a role that had none to wait for would leave the others behind (ClusterResults).
template <class Kernel, class Body>
WARPLINE_DEVICE void for_each_stage(const RowPart& part, Body body) {
  int at = 0;
  do {
    body(at);
    at += Kernel::stage_elements;
  } while (at < part.end);
}

/// Each input has a stage of its own.
template <class Kernel, class End>
WARPLINE_DEVICE void load_streamed(const typename Kernel::Arguments& arguments, End& end) {
  using T = typename Kernel::T;
  constexpr int most = Kernel::stage_elements;
  for_each_row(arguments, [&](int64_t row, const RowPart& part) {
    for_each_stage<Kernel>(part, [&](int at) {
      const int count = part.end - at < most ? part.end - at : most;
      WARPLINE_NO_UNROLL
      for (int i = 0; i < arguments.inputs; ++i) {
        auto slot = end.acquire();
        if (count > 0) {
          const T* const from = arguments.in[i].row(row) + (part.first + at);
          if constexpr (Kernel::aligned) {
            slot.load(slot->elements, from, count);
          } else {
            load_stretch(slot, slot->elements, 0, from, count, arguments.in[i]);
          }
        }
      }
    });
  });
}

/// Where the CTA's part of a row begins in the stages of the two inputs.
struct StagePlaces {
  int first = 0;
  int second = 0;
};

/// The elements of an input, or the sums of two.
template <class Kernel, class Values, class First, class... Second>
WARPLINE_DEVICE void add_up(const typename Kernel::Arguments& arguments, const StagePlaces& places,
                            int at, Values& values, First& first, Second&... second) {
  using Row = RowInStage<typename Kernel::T>;
  take_first<Kernel, 0, Kernel::pieces>(arguments, Row{first->elements.elements, places.first + at},
                                        values);
  (take_second<Kernel, 0, Kernel::pieces>(
       arguments, Row{second->elements.elements, places.second + at}, values),
   ...);
}

/// body(values) for a thread's shares, in turns, of the stage that begins with element `at` of the
/// part: inputs have been added up. With the last share taken the stage is handed on. Turns that
/// the row fills have code of their own, without a condition at each access: softmax of 8192 x
/// 16384 takes 147 us, and 156 with a branch for each piece that all threads take together.
template <class Kernel, class Way, class End, class Body>
WARPLINE_DEVICE void take_stage(const typename Kernel::Arguments& arguments, End& end, int64_t row,
                                const RowPart& part, int at, int thread, Body body) {
  StagePlaces places;
  if constexpr (!Kernel::aligned) {
    places.first = arguments.shift(0, row, part.first);
    if constexpr (Kernel::Operation::max_inputs > 1) {
      places.second = arguments.inputs > 1 ? arguments.shift(1, row, part.first) : 0;
    }
  }
  constexpr int turn_elements = Kernel::turn_elements;
  const auto take = [&](auto&... slots) {
    const auto turn = [&](auto place, auto last) {
      const auto share = [&](auto way) {
        typename Kernel::template Values<decltype(way)> values;
        values.thread = thread;
        values.columns = arguments.columns;
        values.first = part.first + at + place;
        values.end = part.end - at - place;
        add_up<Kernel>(arguments, places, place, values, slots...);
        if (last) {
          (slots.release(), ...);
        }
        body(values);
      };
      const int left = part.end - at - place;
      // (With a second input that would be so much code that the compiler makes functions of it.)
      if (sizeof...(slots) == 1 && left >= turn_elements) {
        share(Filled<Way>{});
      } else if (left > 0) {
        share(Way{});
      }
    };
    if constexpr (Kernel::loops_turns) {
      const int left = part.end - at;
      const int elements = left < Kernel::stage_elements ? left : Kernel::stage_elements;
      WARPLINE_NO_UNROLL
      for (int place = 0; place < elements; place += turn_elements) {
        turn(place, place + turn_elements >= elements);
      }
    } else {
      constexpr int turns = Kernel::stage_elements / turn_elements;
      static_for<0, turns>([&](auto index) {
        constexpr int i = decltype(index)::value;
        turn(Constant<i * turn_elements>{}, Constant<i == turns - 1>{});
      });
    }
  };
  auto first = end.acquire();
  if constexpr (Kernel::Operation::max_inputs > 1) {
    if (arguments.inputs > 1) {
      auto second = end.acquire();
      take(first, second);
      return;
    }
  }
  take(first);
}

template <class Kernel, class Way, class End, class Group, class Reduce, class Results>
WARPLINE_DEVICE void reduce_streamed(const typename Kernel::Arguments& arguments, End& end,
                                     const Group& group, Reduce& reduce, Results& results) {
  using Op = typename Kernel::Operation;
  const auto thread = static_cast<int>(group.thread_rank());
  for_each_row(arguments, [&](int64_t row, const RowPart& part) {
    typename Op::Running running = Op::start();
    for_each_stage<Kernel>(part, [&](int at) {
      take_stage<Kernel, Way>(arguments, end, row, part, at, thread, [&](auto& values) {
        Op::gather(arguments.op, row, values, running);
      });
    });
    results.send(Op::part_of(arguments.op, part.end, running, reduce));
  });
}

template <class Kernel, class Way, class End, class Group, class Results>
WARPLINE_DEVICE void write_streamed(const typename Kernel::Arguments& arguments, End& end,
                                    const Group& group, Results& results) {
  using Op = typename Kernel::Operation;
  const auto thread = static_cast<int>(group.thread_rank());
  for_each_row(arguments, [&](int64_t row, const RowPart& part) {
    const auto result = Op::template result_of<Results::ctas>(arguments.op, results.receive());
    if (thread == 0 && part.first == 0) {
      Op::announce(arguments.op, row, result);
    }
    for_each_stage<Kernel>(part, [&](int at) {
      if (Op::writes(arguments.op)) {
        take_stage<Kernel, Way>(arguments, end, row, part, at, thread, [&](auto& values) {
          Op::write(arguments.op, row, result, values);
        });
      } else {
        WARPLINE_NO_UNROLL
        for (int i = 0; i < arguments.inputs; ++i) {
          auto slot = end.acquire();
        }
      }
    });
  });
}

}  // namespace warpline::inline WARPLINE_TARGET
