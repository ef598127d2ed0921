#include "platforms/machines.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "castor/base/json_text.h"
#include "castor/base/log.h"
#include "castor/base/words.h"
#include "castor/gpu/machine_table.h"
#include "castor/twin/block_folder.h"

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
  throw base::InputError(where, "unknown machine \"" + base::printable(name) + '"',
                         base::did_you_mean(name, names, " ") + "shipped: " + list +
                             "; or the path of a .yaml file or of a report (.json)");
}

void give_name(base::ConfigDocument& document, const std::string& file) {
  if (document.name.empty()) document.name = std::filesystem::path(file).stem().string();
}

/// Returns the block that a key names, "lax" for "blocks.lax.policy"; empty for other keys.
std::string block_of(const std::string& key) {
  static const std::string kPrefix = "blocks.";
  if (key.compare(0, kPrefix.size(), kPrefix) != 0) return {};
  const std::size_t end = key.find('.', kPrefix.size());
  return end == std::string::npos ? std::string{} : key.substr(kPrefix.size(), end - kPrefix.size());
}

/// Returns the schema of all machine keys and of the keys of these block types.
base::Schema schema_with(const std::vector<const hookup::BlockType*>& types) {
  base::Schema schema = gpu::machine_schema();
  for (const hookup::BlockType* const type : types) {
    for (base::SchemaRow& row : hookup::schema_rows(type->name(), type->keys())) schema.add(std::move(row));
  }
  return schema;
}

/// Removes obsolete keys from a report's configuration and logs them in one line, so that an old report still loads. A
/// key is obsolete if neither the machine schema nor the key's block defines it. If the key's block does not exist, the
/// key is removed only if the report has the block disabled.
void leave_out_gone_keys(base::ConfigDocument& report) {
  std::set<std::string> named, enabled;
  for (const base::ConfigEntry& entry : report.entries) {
    const std::string block = block_of(entry.key);
    if (!block.empty()) named.insert(block);
    if (entry.key == "blocks." + block + ".enable" && entry.words.front() != "0") enabled.insert(block);
  }
  std::set<std::string> absent;
  std::vector<const hookup::BlockType*> present;
  for (const std::string& block : named) {
    if (twin::has_block(block)) {
      present.push_back(&hookup::block_type(block));
    } else {
      absent.insert(block);
    }
  }
  const base::Schema schema = schema_with(present);
  std::set<std::string> gone;
  for (const base::ConfigEntry& entry : report.entries) {
    const std::string block = block_of(entry.key);
    if (absent.count(block) != 0 ? enabled.count(block) == 0 : schema.find(entry.key) == nullptr)
      gone.insert(entry.key);
  }
  if (gone.empty()) return;
  std::string list;
  for (const std::string& key : gone) list += (list.empty() ? "" : ", ") + base::printable(key);
  const std::string file = base::printable(report.where.file, std::string::npos);
  base::logger("machines").warn("{}: ignored keys that machines no longer have: {}", file, list);
  auto& entries = report.entries;
  const auto is_gone = [&gone](const base::ConfigEntry& entry) { return gone.count(entry.key) != 0; };
  entries.erase(std::remove_if(entries.begin(), entries.end(), is_gone), entries.end());
}

/// Reads the machine that a report records: the output of Config::to_json under "configuration".
base::ConfigDocument read_report(const std::string& path) {
  const base::SourceLocation where{path, 0, 0};
  const nlohmann::ordered_json report = base::read_json_file(path);
  base::ConfigDocument document;
  document.where = where;
  try {
    const auto& configuration = report.at("configuration");
    document.name = configuration.at("machine");
    document.title = configuration.at("title");
    for (const auto& [key, one] : configuration.at("keys").items()) {
      base::ConfigEntry entry;
      entry.key = key;
      entry.unit = one.at("unit");
      entry.origin = one.at("origin");
      entry.where = where;
      const auto word = [](const nlohmann::ordered_json& value) {
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

/// Opens a machine file, a report or a shipped machine. `where`: location of the `extends` that names it; empty for a
/// machine that the user names; the user must not name a base.
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

/// Returns the result of `find`. To an InputError that `find` throws, adds the location of the key `entry`.
template <class F>
auto at_key(const base::ConfigEntry& entry, F find) {
  try {
    return find();
  } catch (const base::InputError& error) {
    throw base::InputError(entry.where, "key " + base::printable(entry.key) + ": " + error.message(), error.hint());
  }
}

/// Returns the block types that the keys name. Throws InputError at the key of an unknown block.
std::vector<const hookup::BlockType*> named_blocks(const base::ConfigDocument& document) {
  std::map<std::string, const hookup::BlockType*> types;
  for (const base::ConfigEntry& entry : document.entries) {
    const std::string name = block_of(entry.key);
    if (name.empty() || types.count(name) != 0) continue;
    types.emplace(name, at_key(entry, [&] { return &hookup::block_type(name); }));
  }
  std::vector<const hookup::BlockType*> found;
  found.reserve(types.size());
  for (const auto& [name, type] : types) found.push_back(type);
  return found;
}

/// Checks the keys of machines and the keys that every block has. This check comes first, because the block's own keys
/// are known only when the block's model has been built. Throws InputError at the key.
void check_known_keys(base::ConfigDocument document) {
  base::Schema schema = gpu::machine_schema();
  std::set<std::string> blocks;
  for (const base::ConfigEntry& entry : document.entries) {
    const std::string block = block_of(entry.key);
    if (block.empty() || !blocks.insert(block).second) continue;
    at_key(entry, [&] { return twin::find_block(block); });
    for (base::SchemaRow& row : hookup::schema_rows(block, {})) schema.add(std::move(row));
  }
  const auto of_block_alone = [&schema](const base::ConfigEntry& entry) {
    return !block_of(entry.key).empty() && schema.find(entry.key) == nullptr;
  };
  auto& entries = document.entries;
  entries.erase(std::remove_if(entries.begin(), entries.end(), of_block_alone), entries.end());
  static_cast<void>(base::Config(document, schema));
}

/// Returns the name of the installed block that answers an operation; empty if none does. Loads the models of the
/// blocks.
std::string owner_of(isa::SyncOp op) {
  for (const twin::BlockFolder& block : twin::find_blocks()) {
    try {
      const std::vector<isa::SyncOp> answers = hookup::block_type(block.name).answers();
      if (std::find(answers.begin(), answers.end(), op) != answers.end()) return block.name;
    } catch (const base::InputError&) {  // a block without adapter answers nothing on a GPU
    }
  }
  return {};
}

/// Adds the limits of a block that swaps out thread blocks to those of others: a hub's and its swap engines'.
void add_limits(const gpu::SwapLimits& one, gpu::SwapLimits& all) {
  const std::uint64_t away = std::min(one.away, all.away);
  if (one.images) all = one;
  all.away = away;
}

/// Returns the support of the enabled blocks for device-wide synchronisation.
gpu::SyncSupport sync_support(const std::vector<hookup::ChosenBlock>& blocks) {
  gpu::SyncSupport support;
  support.owner = owner_of;
  for (const hookup::ChosenBlock& block : blocks) {
    for (const isa::SyncOp op : block.type->answers()) support.answered |= isa::sync_bit(op);
    const std::vector<hookup::Claim> claims = block.type->claims(block.settings);
    if (std::find(claims.begin(), claims.end(), hookup::Claim::kSwapsOutTbs) == claims.end()) continue;
    support.swaps = true;
    add_limits(block.type->swap_limits(block.settings), support.limits);
  }
  return support;
}

LoadedMachine build(base::ConfigDocument document, const std::vector<std::string>& overrides) {
  document = base::merge_config(std::move(document), open_document, overrides);
  check_known_keys(document);
  const std::vector<const hookup::BlockType*> types = named_blocks(document);
  base::Config config(document, schema_with(types));
  LoadedMachine loaded{gpu::machine_from(config), std::move(config), {}};
  for (const hookup::BlockType* const type : types) {
    hookup::Settings settings(type->name(), loaded.config);
    if (settings.flag("enable")) loaded.blocks.push_back({type, std::move(settings)});
  }
  loaded.machine.chip.sync = sync_support(loaded.blocks);
  return loaded;
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
