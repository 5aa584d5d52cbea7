#include "samples/bench/matmul/gpu_shape.h"

#if WARPLINE_HAS_GPU

#include <fmt/core.h>

#include "samples/support/gpu_difference.h"
#include "warpline/error.h"

namespace bench {

namespace {

constexpr std::size_t vendor_workspace_bytes = std::size_t{64} << 20;
/// Multiplications of a reference: a tenth of a second on 16 cores. The rest is compared with the
/// vendor's result.
constexpr double sample_cost = 1e9;

std::string complaint_of(double error, const std::string& what, warpline::ElementType type) {
  const double limit = sample::error_limit_of(type);
  // Not `error >= limit`, which a NaN would pass.
  return error < limit ? ""
                       : fmt::format(
                             "its relative error against {} is {:.2e}, allowed is "
                             "less than {:.0e}",
                             what, error, limit);
}

}  // namespace

GpuShape::GpuShape(std::uint64_t seed, const std::vector<Shape>& shapes)
    : seed_(seed),
      clock_(sample::gpu_facts().bus_id),
      bench_(stream_, clock_),
      operands_(seed, shapes) {
  try {
    vendor_workspace_.emplace(vendor_workspace_bytes, "cublasLt");
    vendor_ =
        sample::open_cublas_lt({vendor_workspace_->at(0), vendor_workspace_bytes}, why_no_vendor_);
  } catch (const warpline::Error& error) {
    why_no_vendor_ = error.what();
  }
}

void GpuShape::take(const Shape& shape) {
  operands_.take(shape);
  shape_ = shape;
  workspaces_.clear();
  workspace_bytes_ = 0;
  reference_.reset();
  vendor_takes_it_ = false;
}

void GpuShape::prepare_vendor() {
  if (!vendor_) {
    return;
  }
  try {
    const int candidates =
        vendor_->prepare(problem(operands_.set(0), operands_.vendor_d()), shape_.type);
    if (candidates == 0) {
      return;
    }
    const sample::Contest contest{
        .contestants = {[this](std::size_t set) {
          vendor_->matmul(problem(operands_.set(set), operands_.set(set).d), stream_.handle());
        }},
        .sets = operands_.sets()};
    vendor_best_ = sample::fastest_candidate(*vendor_, candidates, contest, bench_, stream_);
    if (vendor_best_ < 0) {
      return;
    }
    // Its result, for ours to be compared with.
    stream_.fill(operands_.vendor_d(),
                 static_cast<std::size_t>(shape_.m * shape_.n) * sizeof(std::uint16_t), 0xff);
    vendor_->choose(0);
    vendor_->matmul(problem(operands_.set(0), operands_.vendor_d()), stream_.handle());
    stream_.synchronize();
    vendor_takes_it_ = true;
  } catch (const warpline::Error&) {
    stream_.synchronize();  // what went wrong went wrong on the host, or nothing can go on
  }
}

warpline::MatmulProblem GpuShape::problem(const GpuOperands::Set& set, void* d) const {
  return {.a = set.a,
          .b = set.b,
          .c = d,
          .m = shape_.m,
          .n = shape_.n,
          .k = shape_.k,
          .a_stride = shape_.k,
          .b_stride = shape_.k,
          .c_stride = shape_.n};
}

std::string GpuShape::vendor() const {
  return vendor_takes_it_ ? "cublasLt " + vendor_->version() : "";
}

warpline::Place GpuShape::place() const { return static_cast<CUstream_st*>(stream_.handle()); }

Plans GpuShape::plans(const Forced& how) {
  warpline::MatmulOptions options = options_of(how);
  const auto plan = [&](const GpuOperands::Set& set) {
    return plan_of(place(), shape_, set.a, set.b, set.d, options);
  };
  Plans plans{{plan(operands_.set(0))}};
  if (const std::size_t bytes = plans.of_sets.front().workspace_bytes(); bytes != 0) {
    plans.of_sets.clear();
    if (bytes > workspace_bytes_) {
      workspaces_.emplace_back(bytes, "split K");
      workspace_bytes_ = bytes;
    }
    stream_.fill(workspaces_.back().at(0), workspace_bytes_);
    options.workspace = workspaces_.back().at(0);
    options.workspace_bytes = workspace_bytes_;
    plans.of_sets.push_back(plan(operands_.set(0)));
  }
  for (std::size_t set = 1; set < operands_.sets(); ++set) {
    plans.of_sets.push_back(plan(operands_.set(set)));
  }
  return plans;
}

double GpuShape::run_poisoned(const Plans& plans) {
  sample::GpuEvent begin;
  sample::GpuEvent end;
  operands_.poison(stream_);
  begin.record(stream_);
  plans.of_sets.front().run(place());
  end.record(stream_);
  end.wait();
  return end.milliseconds_since(begin);
}

double GpuShape::vendor_difference() const {
  return sample::relative_difference(stream_, shape_.type, operands_.set(0).d, operands_.vendor_d(),
                                     shape_.m * shape_.n);
}

const sample::Reference& GpuShape::reference() {
  if (!reference_) {
    reference_.emplace(operands_.a(), operands_.b(), seed_, sample_cost);
  }
  return *reference_;
}

void GpuShape::check(const Plans& plans, Row& row) {
  run_poisoned(plans);
  row.relative_error = reference().relative_error(operands_.download(reference().row_numbers()));
  row.compared_rows = reference().rows();
  row.complaint = complaint_of(*row.relative_error, "fp64", shape_.type);
  if (vendor_takes_it_) {
    row.vendor_difference = vendor_difference();
    if (row.complaint.empty()) {
      row.complaint = complaint_of(*row.vendor_difference, "cublasLt", shape_.type);
    }
  }
  if (!operands_.guards_are_whole()) {
    row.complaint = "it wrote outside D";
  }
  row.correct = row.complaint.empty();
}

GpuShape::QuickCheck GpuShape::quick_check(const Plans& plans) {
  QuickCheck check{.complaint = {}, .milliseconds = run_poisoned(plans)};
  if (!operands_.guards_are_whole()) {
    check.complaint = "it wrote outside D";
  } else if (vendor_takes_it_) {
    check.complaint = complaint_of(vendor_difference(), "cublasLt", shape_.type);
  } else {
    const sample::Rows rows = operands_.download(reference().row_numbers());
    check.complaint = complaint_of(reference().relative_error(rows), "fp64", shape_.type);
  }
  return check;
}

sample::Launch GpuShape::launch(const Plans& plans) const {
  return [this, &plans](std::size_t set) { plans.of_sets[set].run(place()); };
}

std::vector<sample::Launch> GpuShape::vendor_launches() const {
  std::vector<sample::Launch> launches;
  for (const int candidate : {0, vendor_best_}) {
    if (vendor_takes_it_ && (launches.empty() || candidate != 0)) {
      launches.emplace_back([this, candidate](std::size_t set) {
        const GpuOperands::Set operands = operands_.set(set);
        vendor_->choose(candidate);
        vendor_->matmul(problem(operands, operands.d), stream_.handle());
      });
    }
  }
  return launches;
}

}  // namespace bench

#endif
