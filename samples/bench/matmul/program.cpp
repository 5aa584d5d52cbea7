#include "samples/bench/matmul/program.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "files/new_file.h"
#include "samples/bench/matmul/command_line.h"
#include "samples/bench/matmul/report.h"
#include "samples/bench/matmul/runner.h"
#include "samples/support/target.h"
#include "samples/support/usage_error.h"
#include "tuner/cache.h"
#include "warpline/error.h"

namespace bench {

namespace {

constexpr const char* benchmark = "matmul";

std::vector<Shape> shapes_of(const MatmulCommand& command, bool on_gpu) {
  const std::vector<Shape> all =
      command.shapes ? parse_shapes(*command.shapes, command.types)
                     : read_suite(command.suite.value_or(on_gpu ? "full" : "smoke"), command.types);
  std::vector<Shape> mine;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (command.shard.has(i)) {
      mine.push_back(all[i]);
    }
  }
  if (command.place.trace.wanted() && mine.size() != 1) {
    throw sample::UsageError("--trace is of one shape: choose it with --shapes MxNxK");
  }
  return mine;
}

/// Whether a row has all that was asked for.
bool is_done(const Json& json, const MatmulCommand& command, bool timed) {
  if (is_sweep(json)) {
    return sweep_row_of(json).complete;
  }
  const Row row = row_of(json);
  const auto has = [&](const std::optional<RowSpeed>& speed) {
    return speed && speed->pairs >= command.pairs;
  };
  return row.correct &&
         (!timed || (has(row.cool) && (command.sustained == 0 || has(row.sustained))));
}

/// Shapes that are not done; those that have failed before come last, so that one which ends the
/// program does not keep the others from being measured.
std::vector<Shape> to_do(const std::vector<Shape>& shapes, const ResultFile& results,
                         const MatmulCommand& command, const Place& place, bool timed) {
  std::vector<Shape> fresh;
  std::vector<Shape> failed;
  for (const Shape& shape : shapes) {
    const Json* const row =
        results.find(command.sweep ? key_of_sweep(shape, place, command.forced.nondeterministic)
                                   : key_of(shape, place, command.forced));
    if (row == nullptr || command.again) {
      fresh.push_back(shape);
    } else if (!is_done(*row, command, timed)) {
      (is_sweep(*row) || row_of(*row).correct ? fresh : failed).push_back(shape);
    }
  }
  fresh.insert(fresh.end(), failed.begin(), failed.end());
  return fresh;
}

void write_svg(const MatmulCommand& command, const std::vector<Row>& rows) {
  if (command.svg) {
    warpline::files::NewFile file(*command.svg);
    file.stream() << svg_of(rows);
    file.finish();
    fmt::print("written to {}\n", *command.svg);
  }
}

bool all_correct(const std::vector<Row>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.correct; });
}

bool print_rows(const MatmulCommand& command, const std::vector<Row>& rows, bool table) {
  const bool timed =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.cool.has_value(); });
  if (table) {
    fmt::print("{}", head(timed));
    for (const Row& row : rows) {
      fmt::print("{}", line_of(row, timed));
    }
  }
  fmt::print("\n{}{}", summary_of(rows), sources_of(rows));
  write_svg(command, rows);
  return all_correct(rows);
}

void print_sweeps(const std::vector<SweepRow>& rows, bool table) {
  if (table) {
    fmt::print("{}", sweep_head());
    for (const SweepRow& row : rows) {
      fmt::print("{}", line_of(row));
    }
  }
  fmt::print("\n{}", summary_of(rows));
}

bool report(const MatmulCommand& command) {
  std::vector<Row> rows;
  std::vector<SweepRow> sweeps;
  for (const Json& json : read_results(command.report, benchmark)) {
    if (is_sweep(json)) {
      sweeps.push_back(sweep_row_of(json));
    } else {
      rows.push_back(row_of(json));
    }
  }
  rows = latest_of(rows);
  bool correct = true;
  if (!rows.empty() || sweeps.empty()) {
    correct = print_rows(command, rows, true);
  }
  if (!sweeps.empty()) {
    print_sweeps(sweeps, true);
  }
  return correct;
}

std::unique_ptr<MatmulRunner> make_runner(const MatmulCommand& command, bool on_gpu,
                                          const std::vector<Shape>& shapes) {
#if WARPLINE_HAS_GPU
  if (on_gpu) {
    return make_gpu_runner(command, shapes);
  }
#endif
  (void)on_gpu;
  (void)shapes;
  return make_simulator_runner(command);
}

bool explain(MatmulRunner& runner, const std::vector<Shape>& shapes) {
  bool all = true;
  for (const Shape& shape : shapes) {
    try {
      fmt::print("{:<20}{:<5} {}\n", shape.name, warpline::name_of(shape.type),
                 runner.explain(shape));
    } catch (const warpline::Error& error) {
      fmt::print("{:<20}{:<5} none: {}\n", shape.name, warpline::name_of(shape.type), error.what());
      all = false;
    }
  }
  return all;
}

/// Measures or sweeps what is to do, row by row; prints and keeps each.
class Session {
 public:
  Session(const MatmulCommand& command, MatmulRunner& runner, ResultFile& results,
          const Place& place, std::size_t planned)
      : command_(&command),
        runner_(&runner),
        results_(&results),
        place_(place),
        planned_(planned) {}

  void run(const std::vector<Shape>& shapes) {
    if (planned_ > shapes.size()) {
      fmt::print("{} of {} shapes are in {} already\n", planned_ - shapes.size(), planned_,
                 *command_->json);
    }
    const Deadline deadline(command_->time_limit);
    fmt::print("{}", command_->sweep ? sweep_head() : head(runner_->timed()));
    std::size_t done = 0;
    for (const Shape& shape : shapes) {
      if (deadline.passed()) {
        fmt::print("stopped after {:.0f} s with {} of {} shapes to do{}\n", deadline.elapsed(),
                   shapes.size() - done, planned_,
                   command_->json ? "; the same command goes on" : "");
        break;
      }
      ++done;
      if (command_->sweep) {
        sweep(shape, deadline);
      } else {
        measure(shape);
      }
      std::fflush(stdout);
    }
  }

 private:
  void measure(const Shape& shape) {
    Row row = runner_->measure(shape);
    row.place = place_;
    row.date = warpline::tuner::date_now();
    fmt::print("{}", line_of(row, runner_->timed()));
    results_->put(json_of(row));
    if (!row.complaint.empty()) {
      runner_->require_alive();
    }
  }

  void sweep(const Shape& shape, const Deadline& deadline) {
    SweepRow row = runner_->sweep(shape, deadline);
    row.place = place_;
    row.date = warpline::tuner::date_now();
    fmt::print("{}", line_of(row));
    results_->put(json_of(row));
  }

  const MatmulCommand* command_;
  MatmulRunner* runner_;
  ResultFile* results_;
  Place place_;
  std::size_t planned_;
};

/// The rows of these shapes, this place and this force.
bool print_results(const MatmulCommand& command, const ResultFile& results,
                   const std::vector<Shape>& shapes, const Place& place) {
  std::vector<Row> rows;
  std::vector<SweepRow> sweeps;
  for (const Shape& shape : shapes) {
    if (command.sweep) {
      if (const Json* const row =
              results.find(key_of_sweep(shape, place, command.forced.nondeterministic))) {
        sweeps.push_back(sweep_row_of(*row));
      }
    } else if (const Json* const row = results.find(key_of(shape, place, command.forced))) {
      rows.push_back(row_of(*row));
    }
  }
  if (command.sweep) {
    print_sweeps(sweeps, false);
    return true;
  }
  return print_rows(command, rows, false);
}

bool run(const MatmulCommand& command) {
  if (command.list) {
    for (const std::string& name : warpline::matmul_kernel_names()) {
      fmt::print("{}\n", name);
    }
    return true;
  }
  if (!command.report.empty()) {
    return report(command);
  }
  sample::check_trace_files(command.place.trace);
  if (command.svg) {
    const warpline::files::NewFile can_be_written(*command.svg);
  }
  ResultFile results(command.json, benchmark);
  const bool on_gpu = sample::takes_gpu(command.place.target);
  if (command.sweep && !on_gpu) {
    throw warpline::Error("--sweep needs a GPU: " + sample::why_no_gpu());
  }
  const std::vector<Shape> shapes = shapes_of(command, on_gpu);
  const Place place = this_place(on_gpu);
  if (command.explain) {
    return explain(*make_runner(command, on_gpu, shapes), shapes);
  }
  const std::vector<Shape> left = to_do(shapes, results, command, place, on_gpu);
  const auto runner = make_runner(command, on_gpu, left);
  for (const std::string& note : runner->notes()) {
    fmt::print("{}\n", note);
  }
  Session(command, *runner, results, place, shapes.size()).run(left);
  return print_results(command, results, shapes, place);
}

}  // namespace

int matmul_main(int argc, char** argv) {
  int status = 0;
  const auto command = parse_matmul_command(argc, argv, status);
  if (!command) {
    return status;
  }
  try {
    return run(*command) ? 0 : 1;
  } catch (const sample::UsageError& error) {
    fmt::print(stderr, "bench matmul: {}\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "bench matmul: out of host memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench matmul: {}\n", error.what());
  }
  return 1;
}

}  // namespace bench
