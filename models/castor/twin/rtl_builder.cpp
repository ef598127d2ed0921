#include "castor/twin/rtl_builder.h"

#include <map>
#include <mutex>

#include "castor/base/child_process.h"
#include "castor/base/error.h"
#include "castor/base/installation.h"
#include "castor/twin/block_folder.h"

namespace castor::twin {
namespace {

std::string values_text(const ParamValues& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(value);
  }
  return text;
}

}  // namespace

std::string build_rtl(const std::string& manifest, const ParamValues& values, const std::vector<std::string>& options) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  std::vector<std::string> words{"python3",    "-B",       base::data_folder() + "/rtl/synthesis/flows.py",
                                 "rtl-object", "--prefix", base::prefix(),
                                 manifest};
  for (const auto& [name, value] : values) words.push_back(name + "=" + std::to_string(value));
  words.insert(words.end(), options.begin(), options.end());
  std::string request;
  for (const std::string& word : words) request += word + '\n';

  const std::lock_guard<std::mutex> lock(mutex);
  std::string& path = known[request];
  if (!path.empty()) return path;
  base::Answer answer = base::run(words);
  while (!answer.text.empty() && answer.text.back() == '\n') answer.text.pop_back();
  if (answer.status != 0 || answer.text.empty()) {
    throw base::InputError("no RTL of '" + manifest + "' at " + values_text(values), "the lines above say why");
  }
  return path = answer.text;
}

std::string RtlBuilder::object(const std::string& block, const ParamValues& values, bool waves) {
  std::vector<std::string> options;
  if (variant_ == Variant::kCoverage) options.emplace_back("--coverage");
  if (waves) options.emplace_back("--waves");
  return build_rtl(find_block(block).manifest(), values, options);
}

}  // namespace castor::twin
