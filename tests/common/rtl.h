#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "castor/twin/block_folder.h"
#include "castor/twin/make_twin.h"
#include "castor/twin/rtl_builder.h"

/// RTL of blocks for tests.
namespace castor::tests {

inline nlohmann::json read_json(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

/// Returns the named parameter sets of a block.
template <class Block>
std::map<std::string, typename Block::Params> parameter_sets() {
  const nlohmann::json manifest = read_json(twin::find_block(Block::kBlock).manifest());
  const std::string rtl = manifest.at("rtl");
  const nlohmann::json named = read_json(rtl + "/parameter_sets.json");
  std::map<std::string, typename Block::Params> sets;
  for (const auto& [name, values] : named.items()) {
    const std::map<std::string, std::uint32_t> numbers = values;
    sets[name] = twin::named_params<typename Block::Params>(numbers);
  }
  return sets;
}

template <class Block>
typename Block::Params parameter_set(const std::string& name) {
  return parameter_sets<Block>().at(name);
}

/// RTL source of a block in which one text is replaced by another, as a block folder of its own. Blocks are those of
/// the build tree, so their paths are absolute.
class PatchedRtl final : public twin::RtlSource {
 public:
  /// Copies the block's RTL below `folder` with `from` replaced. One of the RTL's files must contain `from`.
  PatchedRtl(const std::string& block, const std::string& folder, const std::string& from, const std::string& to) {
    namespace fs = std::filesystem;
    const twin::BlockFolder original = twin::find_block(block);
    auto manifest = read_json(original.manifest());
    const fs::path rtl = fs::path(folder) / "rtl" / block;
    fs::remove_all(folder);
    fs::create_directories(rtl);
    fs::copy(manifest.at("rtl").get<std::string>(), rtl, fs::copy_options::recursive);
    bool found = false;
    for (const fs::directory_entry& entry : fs::directory_iterator(rtl)) {
      std::ifstream in(entry.path());
      std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      const std::size_t at = entry.path().extension() == ".sv" ? text.find(from) : std::string::npos;
      if (at == std::string::npos) continue;
      std::ofstream(entry.path()) << text.replace(at, from.size(), to);
      found = true;
    }
    if (!found) throw std::runtime_error("the RTL of " + block + " has no '" + from + "'");
    manifest["rtl"] = rtl.string();
    manifest_ = fs::path(folder) / "block.json";
    std::ofstream(manifest_) << manifest;
  }
  [[nodiscard]] std::string object(const std::string& /*block*/, const twin::ParamValues& values, bool waves) override {
    return twin::build_rtl(manifest_, values, waves ? std::vector<std::string>{"--waves"} : std::vector<std::string>{});
  }

 private:
  std::string manifest_;
};

}  // namespace castor::tests
