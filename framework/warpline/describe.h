// describe: a kernel's plan in words, made of the same constants that the kernel is compiled from.
// Host code.
#pragma once

#include <string>

#include "warpline/launch.h"
#include "warpline/members.h"
#include "warpline/pipeline.h"

namespace warpline::inline WARPLINE_TARGET {

namespace describe_detail {

inline std::string padded(std::string text, std::size_t width) {
  text.resize(text.size() < width ? width : text.size() + 1, ' ');
  return text;
}

inline std::string row(const std::string& first, const std::string& second,
                       const std::string& third) {
  return "  " + padded(first, 14) + padded(second, 26) + third + "\n";
}

template <class M>
std::string member() {
  if constexpr (is_copied_tile<M>) {
    std::string text = std::to_string(M::rows) + " x " + std::to_string(M::columns) + " tile, " +
                       std::to_string(M::bytes) + " bytes, ";
    text += M::swizzle == Swizzle::none ? "no swizzle"
                                        : std::to_string(M::span_bytes) + "-byte swizzle";
    if constexpr (is_multicast<M>) {
      text += ", multicast to " + std::to_string(M::ctas) + " CTAs along " +
              (M::axis == ClusterAxis::x ? "x" : "y");
    }
    return text;
  } else if constexpr (is_shared_array<M>) {
    return "array of " + std::to_string(M::count) + ", " + std::to_string(M::bytes) + " bytes";
  } else {
    return std::to_string(sizeof(M)) + " bytes";
  }
}

template <class... Members>
std::string stage_members(TypeList<Members...>) {
  std::string text;
  ((text += (text.empty() ? "" : "; ") + member<Members>()), ...);
  return text;
}

template <class Ring>
std::string ring() {
  std::string text = "pipeline of " + std::to_string(Ring::stages) + " stages\n";
  text += row("stage", std::to_string(sizeof(typename Ring::Stage)) + " bytes",
              stage_members(typename Ring::Members{}));
  for (int phase = 0; phase < Ring::phases; ++phase) {
    const int arrivals = Ring::arrival_count(phase);
    std::string completed = std::to_string(arrivals) + (arrivals == 1 ? " arrival" : " arrivals");
    if (Ring::accesses[phase] == Access::copies) {
      completed += Ring::arms_whole_stage ? " and " + std::to_string(Ring::tile_bytes) + " bytes"
                                          : " and the announced bytes";
    }
    text +=
        row(std::string(Ring::barrier_name(phase)) + "[" + std::to_string(Ring::stages) + "]",
            completed,
            Ring::accesses[phase] == Access::copies         ? "completed by the copy engine"
            : Ring::accesses[phase] == Access::tensor_cores ? "arrivals after the wait for wgmma"
                                                            : "arrivals after a proxy fence");
  }
  return text;
}

template <class K>
std::string rings() {
  if constexpr (requires { typename K::Ring; }) {
    return ring<typename K::Ring>();
  } else {
    return {};
  }
}

}  // namespace describe_detail

/// The plan of kernel `K`: roles, warps, registers, its pipeline (K::Ring) with barrier counts,
/// shared memory, and how many CTAs fit on a multiprocessor.
template <Kernel K>
std::string describe() {
  using namespace describe_detail;  // NOLINT(google-build-using-namespace): function scope
  using Roles = typename K::Roles;
  std::string text = "kernel ";
  text += K::launch.name;  // not added: g++ 12 at -O1 takes that for a write past the string's end
  text += ": " + std::to_string(Roles::threads) + " threads, cluster " +
          std::to_string(K::launch.cluster.x) + " x " + std::to_string(K::launch.cluster.y) + "\n";
  text += row("role", "warps", "registers");
  int first = 0;
  for (const RoleConfig& role : Roles::configs) {
    const int last = first + role.warps - 1;
    text += row(
        role.name,
        first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last),
        role.registers != 0
            ? std::to_string(role.registers)
            : "as launched" + (K::launch.registers != 0
                                   ? " (" + std::to_string(K::launch.registers) + ")"
                                   : std::string()));
    first += role.warps;
  }
  text += rings<K>();
  constexpr int shared = static_cast<int>(sizeof(typename K::SharedMemory));
  text += "shared memory " + std::to_string(shared) + " of " +
          std::to_string(max_shared_bytes_per_cta) + " bytes; at least " +
          std::to_string(K::launch.min_ctas_per_sm) +
          (K::launch.min_ctas_per_sm == 1 ? " CTA" : " CTAs") + " per multiprocessor\n";
  return text;
}

}  // namespace warpline::inline WARPLINE_TARGET
