#include "matmul/region.h"

#include <algorithm>

#include "warpline/error.h"

namespace warpline {

namespace {

std::uintptr_t first_byte(const Region& region) {
  return reinterpret_cast<std::uintptr_t>(region.data);
}

/// Bytes from the first element's start to the last one's end, of the dimensions whose strides are
/// below `limit` bytes.
std::int64_t span(const Region& region, std::int64_t limit = INT64_MAX) {
  std::int64_t bytes = region.element_bytes;
  for (const Region::Dimension& dimension : region.dimension) {
    const std::int64_t stride = dimension.stride * region.element_bytes;
    if (stride < limit) {
      bytes += (dimension.extent - 1) * stride;
    }
  }
  return bytes;
}

std::uintptr_t end_byte(const Region& region) {
  return first_byte(region) + static_cast<std::uintptr_t>(span(region));
}

/// Whether every stride of at least `period` bytes is a multiple of it.
bool repeats(const Region& region, std::int64_t period) {
  return std::all_of(std::begin(region.dimension), std::end(region.dimension),
                     [&](const Region::Dimension& dimension) {
                       const std::int64_t stride = dimension.stride * region.element_bytes;
                       return dimension.extent == 1 || stride < period || stride % period == 0;
                     });
}

bool apart_in_each_period(const Region& a, const Region& b, std::int64_t period) {
  if (!repeats(a, period) || !repeats(b, period)) {
    return false;
  }
  const std::int64_t a_bytes = span(a, period);
  const std::int64_t b_bytes = span(b, period);
  const std::uintptr_t a_first = first_byte(a) % static_cast<std::uintptr_t>(period);
  const std::uintptr_t b_first = first_byte(b) % static_cast<std::uintptr_t>(period);
  const auto ahead =
      static_cast<std::int64_t>((b_first + static_cast<std::uintptr_t>(period) - a_first) %
                                static_cast<std::uintptr_t>(period));
  return ahead >= a_bytes && ahead + b_bytes <= period;
}

bool same_elements(const Region& a, const Region& b) {
  return a.data == b.data && a.element_bytes == b.element_bytes &&
         std::equal(std::begin(a.dimension), std::end(a.dimension), std::begin(b.dimension),
                    [](const Region::Dimension& x, const Region::Dimension& y) {
                      return x.extent == y.extent && (x.extent == 1 || x.stride == y.stride);
                    });
}

std::string name_of(const Region& region) {
  return region.problem < 0 ? region.name
                            : region.name + " of problem " + std::to_string(region.problem);
}

}  // namespace

void check_span(const Region& region) {
  // Half of the address space, so that sums of two stay in range.
  std::int64_t bytes = region.element_bytes;
  bool fits = true;
  for (const Region::Dimension& dimension : region.dimension) {
    std::int64_t stride = 0;
    std::int64_t more = 0;
    fits = fits && !__builtin_mul_overflow(dimension.stride, region.element_bytes, &stride) &&
           !__builtin_mul_overflow(dimension.extent - 1, stride, &more) &&
           !__builtin_add_overflow(bytes, more, &bytes);
  }
  if (!fits || bytes > INT64_MAX / 4 ||
      first_byte(region) > static_cast<std::uintptr_t>(INT64_MAX / 2)) {
    throw Error(name_of(region) + ": its extents and strides reach beyond the address space");
  }
}

bool overlaps_itself(const Region& region) {
  Region::Dimension sorted[3];
  std::copy(std::begin(region.dimension), std::end(region.dimension), sorted);
  std::sort(std::begin(sorted), std::end(sorted),
            [](const auto& a, const auto& b) { return a.stride < b.stride; });
  std::int64_t spanned = 1;
  for (const Region::Dimension& dimension : sorted) {
    if (dimension.extent == 1) {
      continue;
    }
    if (dimension.stride < spanned) {
      return true;
    }
    spanned += (dimension.extent - 1) * dimension.stride;
  }
  return false;
}

bool may_overlap(const Region& a, const Region& b) {
  if (end_byte(a) <= first_byte(b) || end_byte(b) <= first_byte(a)) {
    return false;
  }
  for (const Region* region : {&a, &b}) {
    for (const Region::Dimension& dimension : region->dimension) {
      if (dimension.extent > 1 && dimension.stride > 0 &&
          apart_in_each_period(a, b, dimension.stride * region->element_bytes)) {
        return false;
      }
    }
  }
  return true;
}

void check_overlaps(std::vector<Region> outputs, const std::vector<Region>& inputs) {
  std::stable_sort(outputs.begin(), outputs.end(),
                   [](const Region& a, const Region& b) { return first_byte(a) < first_byte(b); });
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = i + 1; j < outputs.size() && first_byte(outputs[j]) < end_byte(outputs[i]);
         ++j) {
      if (may_overlap(outputs[i], outputs[j])) {
        throw Error(name_of(outputs[i]) + " and " + name_of(outputs[j]) +
                    " overlap; both are written");
      }
    }
  }
  // Since outputs do not share bytes they may only interleave; the farthest end so far bounds how
  // far back one that reaches into an input can begin.
  std::vector<std::uintptr_t> farthest;
  for (const Region& output : outputs) {
    farthest.push_back(std::max(end_byte(output), farthest.empty() ? 0 : farthest.back()));
  }
  for (const Region& input : inputs) {
    auto i =
        static_cast<std::size_t>(std::upper_bound(outputs.begin(), outputs.end(), end_byte(input),
                                                  [](std::uintptr_t end, const Region& output) {
                                                    return end < first_byte(output);
                                                  }) -
                                 outputs.begin());
    while (i > 0 && farthest[i - 1] > first_byte(input)) {
      const Region& output = outputs[--i];
      const bool in_place = input.read_in_place && output.name == "D" &&
                            output.problem == input.problem && same_elements(input, output);
      if (!in_place && may_overlap(input, output)) {
        throw Error(name_of(input) + " and " + name_of(output) + " overlap; " +
                    (input.read_in_place
                         ? "only if all strides and types agree may they be the same matrix"
                         : "an output must not share memory with an input"));
      }
    }
  }
}

}  // namespace warpline
