#include "platforms/machines.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "castor/base/log.h"
#include "castor/gpu/machine_table.h"

namespace castor::platforms {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || ends_with(text, ".yaml") || ends_with(text, ".yml") ||
         ends_with(text, ".json");
}

[[noreturn]] void refuse_unknown(const std::string& name, const base::SourceLocation& where) {
  const std::vector<std::string> names = shipped_machines();
  std::string list;
  for (const std::string& each : names) list += (list.empty() ? "" : ", ") + each;
  const std::string near = base::closest_word(name, names);
  throw base::InputError(where, "unknown machine \"" + base::printable(name) + '"',
                         (near.empty() ? std::string{} : "did you mean " + near + "? ") + "shipped: " + list +
                             "; or the path of a .yaml file or of a report (.json)");
}

void give_name(base::ConfigDocument& document, const std::string& file) {
  if (document.name.empty()) document.name = std::filesystem::path(file).stem().string();
}

/// Decides what an old report may say without being refused: keys that no machine has any more.
bool has_gone(const std::string& key) { return gpu::machine_schema().find(key) == nullptr; }

/// A report stays a machine although some of its keys have gone: leaves them out and says which, in one line.
void leave_out_gone_keys(base::ConfigDocument& report) {
  std::vector<std::string> gone;
  for (const base::ConfigEntry& entry : report.entries) {
    if (has_gone(entry.key)) gone.push_back(base::printable(entry.key));
  }
  if (gone.empty()) return;
  std::sort(gone.begin(), gone.end());
  std::string list;
  for (const std::string& key : gone) list += (list.empty() ? "" : ", ") + key;
  const std::string file = base::printable(report.where.file);
  base::logger("machines").warn("{}: left out the keys that machines no longer have: {}", file, list);
  auto& entries = report.entries;
  const auto is_gone = [](const base::ConfigEntry& entry) { return has_gone(entry.key); };
  entries.erase(std::remove_if(entries.begin(), entries.end(), is_gone), entries.end());
}

/// The machine that a report records: Config::to_json under "configuration".
base::ConfigDocument read_report(const std::string& path) {
  const base::SourceLocation where{path, 0, 0};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw base::InputError("cannot read '" + base::printable(path) + "': " + std::strerror(errno));
  base::ConfigDocument document;
  document.where = where;
  try {
    const auto configuration = nlohmann::json::parse(file).at("configuration");
    document.name = configuration.at("machine");
    document.title = configuration.at("title");
    for (const auto& [key, one] : configuration.at("keys").items()) {
      base::ConfigEntry entry;
      entry.key = key;
      entry.unit = one.at("unit");
      entry.origin = one.at("origin");
      entry.where = where;
      const auto word = [](const nlohmann::json& value) {
        return value.is_string() ? value.get<std::string>() : value.is_null() ? std::string("none") : value.dump();
      };
      entry.is_list = one.at("value").is_array();
      if (entry.is_list) {
        for (const auto& value : one.at("value")) entry.words.push_back(word(value));
      } else {
        entry.words.push_back(word(one.at("value")));
      }
      document.entries.push_back(std::move(entry));
    }
  } catch (const nlohmann::json::exception&) {
    throw base::InputError(where, "this is no report of a run: it holds no configuration",
                           "castor run --report writes one");
  }
  leave_out_gone_keys(document);
  return document;
}

/// `where` is the place of an `extends`; empty for a machine that the user names, which cannot be a base.
base::ConfigDocument open_document(const std::string& name, const base::SourceLocation& where) {
  if (is_path(name)) {
    const std::filesystem::path path =
        where.file.empty() ? std::filesystem::path(name) : std::filesystem::path(where.file).parent_path() / name;
    base::ConfigDocument document =
        ends_with(path.string(), ".json") ? read_report(path.string()) : base::read_config(path.string());
    give_name(document, path.string());
    return document;
  }
  const detail::ShippedFile* const file = detail::find_shipped(name);
  if (file == nullptr || (file->is_base && where.file.empty())) refuse_unknown(name, where);
  return base::parse_config(file->text, name + ".yaml");
}

LoadedMachine build(base::ConfigDocument document, const std::vector<std::string>& overrides) {
  base::Config config(base::merge_config(std::move(document), open_document, overrides), gpu::machine_schema());
  gpu::Machine machine = gpu::machine_from(config);
  return {std::move(machine), std::move(config)};
}

}  // namespace

std::vector<std::string> shipped_machines() {
  std::vector<std::string> names;
  for (const detail::ShippedFile& file : detail::shipped_files()) {
    if (!file.is_base) names.emplace_back(file.name);
  }
  return names;
}

LoadedMachine load_machine(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  return build(open_document(name_or_path, {}), overrides);
}

LoadedMachine load_machine_text(std::string_view text, const std::string& file,
                                const std::vector<std::string>& overrides) {
  base::ConfigDocument document = base::parse_config(text, file);
  give_name(document, file);
  return build(std::move(document), overrides);
}

const detail::ShippedFile* detail::find_shipped(std::string_view name) {
  for (const ShippedFile& file : shipped_files()) {
    if (file.name == name) return &file;
  }
  return nullptr;
}

}  // namespace castor::platforms
