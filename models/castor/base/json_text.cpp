#include "castor/base/json_text.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace castor::base {

nlohmann::ordered_json read_json(std::string_view text, const SourceLocation& where) {
  using Json = nlohmann::ordered_json;
  constexpr int kDeepest = 100;
  const auto look = [&](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    if (depth > kDeepest) {
      throw InputError(where, "its brackets are more than " + std::to_string(kDeepest) + " deep");
    }
    return true;
  };
  try {
    return Json::parse(text, look);
  } catch (const Json::parse_error& e) {
    throw InputError(where, "it is no JSON: an error at byte " + std::to_string(e.byte));
  }
}

nlohmann::ordered_json read_json_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad())
    throw InputError("cannot read '" + printable(path, std::string::npos) + "': " + std::strerror(errno));
  return read_json(text, {path, 0, 0});
}

}  // namespace castor::base
