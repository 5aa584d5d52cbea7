// A kernel to mutate: how to run it, and what to call it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "simulator/mutation.h"

namespace sample {

struct Subject {
  std::string name;  ///< "family/configuration"
  /// Launches the kernel on a small problem with tails, and compares with what it must give.
  std::function<bool(const warpline::simulator::Options&)> run;
  /// Why a survivor is equivalent, where no rule can know (MutationOptions::explain).
  std::function<std::string(const warpline::simulator::MutationSite&,
                            const warpline::simulator::Mutant&)>
      explain = {};
};

std::vector<Subject> matmul_subjects();  ///< the catalog, the smallest configurations first
std::vector<Subject> ladder_subjects();
std::vector<Subject> array_subjects();
std::vector<Subject> persistent_subjects();     ///< the kernels behind warpline::matmul
std::vector<Subject> row_subjects();            ///< softmax
std::vector<Subject> norm_subjects();           ///< RMSNorm and LayerNorm
std::vector<Subject> norm_gradient_subjects();  ///< and sums of columns
std::vector<Subject> reduction_subjects();      ///< of long rows

}  // namespace sample
