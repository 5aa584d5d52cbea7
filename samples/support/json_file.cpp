#include "samples/support/json_file.h"

#include <nlohmann/json.hpp>

namespace sample {

void JsonFile::write(const nlohmann::ordered_json& json) {
  file_.stream() << json.dump(2) << '\n';
  file_.finish();
}

}  // namespace sample
