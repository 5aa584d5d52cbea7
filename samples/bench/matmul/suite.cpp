#include "samples/bench/matmul/suite.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "samples/support/usage_error.h"

namespace bench {

using sample::UsageError;
using warpline::ElementType;

namespace {

const std::filesystem::path suites = std::filesystem::path(WARPLINE_BENCH_SUITES) / "matmul";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos;
       end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

bool is_type(const std::string& word) { return word == "fp16" || word == "bf16"; }

ElementType type_of(const std::string& word) {
  return word == "bf16" ? ElementType::bf16 : ElementType::fp16;
}

std::int64_t extent(const std::string& where, const char* name, const std::string& word) {
  const bool digits = !word.empty() && word.size() <= 10 &&
                      word.find_first_not_of("0123456789") == std::string::npos;
  const std::int64_t value = digits ? std::stoll(word) : 0;
  if (value < 1 || value > std::numeric_limits<std::int32_t>::max()) {
    throw UsageError(fmt::format("{}: {} is '{}'; whole numbers from 1 to 2^31 - 1 are possible",
                                 where, name, word));
  }
  return value;
}

Shape shape_of(const std::string& where, const std::vector<std::string>& extents) {
  Shape shape{.m = extent(where, "M", extents[0]),
              .n = extent(where, "N", extents[1]),
              .k = extent(where, "K", extents[2])};
  shape.name = fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
  return shape;
}

/// All shapes of one type after those of another: the GPU's operands are made once for each.
std::vector<Shape> in_order(const std::vector<std::vector<Shape>>& of_types,
                            const std::string& source) {
  std::vector<Shape> shapes;
  for (const std::vector<Shape>& part : of_types) {
    for (const Shape& shape : part) {
      const auto same = [&](const Shape& other) {
        return other.type == shape.type && other.m == shape.m && other.n == shape.n &&
               other.k == shape.k;
      };
      if (std::any_of(shapes.begin(), shapes.end(), same)) {
        throw UsageError(
            fmt::format("{}: {} x {} x {} is there twice", source, shape.m, shape.n, shape.k));
      }
      shapes.push_back(shape);
    }
  }
  if (shapes.empty()) {
    throw UsageError(source + ": there are no shapes");
  }
  return shapes;
}

class OfTypes {
 public:
  explicit OfTypes(const std::vector<ElementType>& types) : types_(&types) {}

  void add(Shape shape) {
    for (const ElementType type : *types_) {
      shape.type = type;
      add_as_is(shape);
    }
  }
  void add_as_is(const Shape& shape) {
    parts_[shape.type == ElementType::bf16 ? 1 : 0].push_back(shape);
  }
  const std::vector<std::vector<Shape>>& parts() const { return parts_; }

 private:
  const std::vector<ElementType>* types_;
  std::vector<std::vector<Shape>> parts_{2};
};

}  // namespace

double Shape::bytes() const {
  const auto product = [](std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
  };
  return warpline::bytes_of(type) * (product(m, k) + product(n, k) + product(m, n));
}

double Shape::multiplications() const {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

std::vector<Shape> parse_suite(const std::string& text, const std::string& source,
                               const std::vector<ElementType>& types) {
  OfTypes shapes(types);
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    const std::string where = fmt::format("{}:{}", source, ++number);
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
      words.push_back(word);
    }
    if (words.empty()) {
      continue;
    }
    if (words.size() < 3) {
      throw UsageError(where + ": a line is `M N K [fp16|bf16] [NAME]`");
    }
    Shape shape = shape_of(where, words);
    std::size_t next = 3;
    const bool has_type = words.size() > next && is_type(words[next]);
    if (has_type) {
      shape.type = type_of(words[next++]);
    }
    if (words.size() > next) {
      shape.name = words[next++];
    }
    if (words.size() > next) {
      throw UsageError(fmt::format("{}: '{}' is too much: a line is `M N K [fp16|bf16] [NAME]`",
                                   where, words[next]));
    }
    if (has_type) {
      shapes.add_as_is(shape);
    } else {
      shapes.add(shape);
    }
  }
  return in_order(shapes.parts(), source);
}

std::vector<Shape> parse_shapes(const std::string& text, const std::vector<ElementType>& types) {
  OfTypes shapes(types);
  for (const std::string& part : split(text, ',')) {
    const std::vector<std::string> extents = split(part, 'x');
    if (extents.size() != 3) {
      throw UsageError(fmt::format("--shapes: '{}' is not MxNxK", part));
    }
    shapes.add(shape_of("--shapes", extents));
  }
  return in_order(shapes.parts(), "--shapes");
}

std::vector<Shape> read_suite(const std::string& name_or_file,
                              const std::vector<ElementType>& types) {
  for (const std::filesystem::path& path :
       {suites / (name_or_file + ".txt"), std::filesystem::path(name_or_file)}) {
    std::error_code missing;
    if (!std::filesystem::is_regular_file(path, missing)) {
      continue;
    }
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    if (file.good()) {
      return parse_suite(text.str(), path.filename().string(), types);
    }
  }
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(suites, missing)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  throw UsageError(fmt::format("there is no suite '{}' and no such file; suites are {}",
                               name_or_file, fmt::join(names, ", ")));
}

std::vector<ElementType> parse_types(const std::string& text) {
  std::vector<ElementType> types;
  for (const std::string& word : split(text, ',')) {
    if (!is_type(word)) {
      throw UsageError(fmt::format("--type: '{}' is not fp16 or bf16", word));
    }
    const ElementType type = type_of(word);
    if (std::find(types.begin(), types.end(), type) == types.end()) {
      types.push_back(type);
    }
  }
  if (types.empty()) {
    throw UsageError("--type is empty: fp16, bf16 or both");
  }
  return types;
}

}  // namespace bench
