// Libraries that are looked for at run time, so that nobody needs them to build or start this
// program.
#pragma once

#include <string>
#include <vector>

namespace sample {

class SharedLibrary {
 public:
  /// Opens the first of `names` that the loader finds, or else that lies in one of `folders`.
  explicit SharedLibrary(const std::vector<std::string>& names,
                         const std::vector<std::string>& folders = {});
  ~SharedLibrary() = default;
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  explicit operator bool() const { return handle_ != nullptr; }

  /// Null if the library or the function is not there.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;

  // Never closed: CUDA's libraries do not like to be unloaded before the process ends.
  void* handle_ = nullptr;
};

/// Where CUDA's libraries lie on machines that do not tell the loader: Python's packages and
/// /usr/local/cuda.
const std::vector<std::string>& cuda_library_folders();

}  // namespace sample
