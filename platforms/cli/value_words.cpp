// Words for the completion of the command line: machines, keys, blocks, kernels of a file.

#include <algorithm>

#include "castor/base/child_process.h"
#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/machine_table.h"
#include "castor/isa/instruction_table.h"
#include "castor/twin/block_folder.h"
#include "platforms/cli/commands.h"
#include "platforms/cli/complete.h"
#include "platforms/cli/files.h"
#include "platforms/machines.h"
#include "ptx/parser.h"

namespace castor::platforms::cli {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kFlows[] = {"area", "prove", "netlist", "coverage", "lint", "evidence", "faults", "mutate"};

Words machines() {
  Words words = shipped_machines();
  words.emplace_back(":files");
  return words;
}

Words blocks() {
  Words words;
  for (const twin::BlockFolder& block : twin::find_blocks()) words.push_back(block.name);
  return words;
}

/// Returns the machine keys, each followed by '='. After "key=" returns the values that the key may have.
Words settings(const std::string& word) {
  const base::Schema& schema = gpu::machine_schema();
  const std::size_t equals = word.find('=');
  Words words;
  if (equals == std::string::npos) {
    for (const base::SchemaRow& row : schema.rows()) words.push_back(row.key + "=");
    // A block's own keys are known only when its model is loaded; these two keys exist for every block.
    for (const std::string& block : blocks()) {
      words.push_back("blocks." + block + ".enable=");
      words.push_back("blocks." + block + ".engine=");
    }
    return words;
  }
  const std::string key = word.substr(0, equals), end = key.substr(key.rfind('.') + 1);
  const base::SchemaRow* const row = schema.find(key);
  Words values;
  if (row != nullptr) values = row->type == base::ValueType::kBoolean ? Words{"0", "1"} : row->choices;
  if (key.rfind("blocks.", 0) == 0) {
    if (end == "enable") values = {"0", "1"};
    if (end == "engine") values = {"model", "rtl", "lockstep"};
  }
  for (const std::string& value : values) words.push_back(key + "=" + value);
  return words;
}

Words opcodes() {
  Words words;
  for (const auto& row : isa::InstructionTable::instance().rows()) {
    if (!row->opcode.empty() && row->opcode[0] != '$') words.push_back(row->opcode);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

/// Returns names for the kernels of a file: the demangled function name or, if the shell would have to quote it, the
/// PTX name.
Words kernels(const Words& files) {
  Words words;
  if (files.empty()) return words;
  for (const std::string& image : read_ptx(files[0])) {
    for (const isa::Function& function : ptx::parse(image, files[0]).functions) {
      if (!function.entry || !function.defined) continue;
      const std::string name = base::function_name(base::demangled(function.name));
      words.push_back(name.find_first_of(" <>(){}&") == std::string::npos ? name : function.name);
    }
  }
  return words;
}

/// Returns the options of a flow, read from its help text.
Words flow_options(const std::string& flow) {
  const std::string text = base::run(flow_command(flow, {"--help"}), "python3").text;
  Words words;
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2)) {
    std::size_t end = at + 2;
    while (end < text.size() && ((text[end] >= 'a' && text[end] <= 'z') || text[end] == '-')) ++end;
    if (end > at + 3) words.push_back(text.substr(at, end - at));
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

Words words_at(const Place& place) {
  if (place.option == "--platform") return machines();
  if (place.option == "--set") return settings(place.word);
  if (place.option == "--kernel") return kernels(place.given);
  if (place.option == "--engine") return {"model", "rtl", "lockstep"};
  if (place.option == "--hook") return served_hooks();
  if (!place.option.empty()) return {};
  const bool first = place.position == 0;
  if (place.command == "elaborate") return first ? machines() : Words{};
  if (place.command == "cosim" || place.command == "list blocks") return first ? blocks() : Words{};
  if (place.command == "list instructions") return first ? opcodes() : Words{};
  if (place.command == "run" || place.command == "wave" || place.command == "list kernels" ||
      place.command == "list marks") {
    return {":files"};
  }
  if (std::find(std::begin(kFlows), std::end(kFlows), place.command) != std::end(kFlows)) {
    if (!place.word.empty() && place.word[0] == '-') return flow_options(place.command);
    return blocks();
  }
  return {};
}

}  // namespace

std::vector<std::string> value_words(const Place& place) {
  try {
    return words_at(place);
  } catch (const base::Error&) {  // the file is no PTX, or a block is missing: no words to offer
    return {};
  }
}

}  // namespace castor::platforms::cli
