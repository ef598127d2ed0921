// castor cosim, castor wave, castor list blocks: hardware blocks, model against RTL.

#include "tb/common/blocks.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor/twin/vcd.h"
#include "platforms/cli/commands.h"
#include "tb/common/cosim_options.h"

namespace castor::platforms::cli {
namespace {

/// The rungs of verification, from what is cheap to what is dear.
constexpr const char* kRungs[] = {"unit", "lockstep", "cover", "formal", "netlist", "mutation", "platform", "area"};

const tb::KnownBlock& find_block(const std::string& name) {
  std::string names;
  for (const tb::KnownBlock& block : tb::blocks()) {
    if (block.entry.name == name) return block;
    names += (names.empty() ? "" : ", ") + block.entry.name;
  }
  throw base::InputError("no block '" + base::printable(name) + "'",
                         names.empty() ? "this build has none" : "blocks are " + names);
}

nlohmann::ordered_json evidence_of(const tb::KnownBlock& block) {
  if (block.evidence.empty()) return nlohmann::ordered_json::object();
  return nlohmann::ordered_json::parse(block.evidence);
}

}  // namespace

void list_blocks(bool json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const tb::KnownBlock& block : tb::blocks()) {
    nlohmann::ordered_json sets = nlohmann::ordered_json::object();
    for (const auto& [name, params] : block.entry.sets) sets[name] = params;
    all.push_back({{"name", block.entry.name},
                   {"meaning", block.entry.meaning},
                   {"parameter_sets", sets},
                   {"evidence", evidence_of(block)}});
  }
  if (json) {
    std::printf("%s\n", all.dump(2).c_str());
    return;
  }
  for (const auto& block : all) {
    std::printf("%s: %s\n", block["name"].get<std::string>().c_str(), block["meaning"].get<std::string>().c_str());
    for (const auto& [name, params] : block["parameter_sets"].items()) {
      std::printf("  set %-9s %s\n", name.c_str(), params.get<std::string>().c_str());
    }
    for (const char* const rung : kRungs) {
      const auto found = block["evidence"].find(rung);
      if (found == block["evidence"].end()) {
        std::printf("  %-9s     not recorded\n", rung);
      } else {
        std::printf("  %-9s     %s\n  %13s   by: %s\n", rung, found->value("figure", "?").c_str(), "",
                    found->value("command", "?").c_str());
      }
    }
  }
}

void add_cosim(CLI::App& app, int& result) {
  auto request = std::make_shared<tb::CosimRequest>();
  auto block = std::make_shared<std::string>();
  CLI::App* const cosim = app.add_subcommand("cosim", "Run a block's model against its RTL");
  cosim->add_option("block", *block, "Block (castor list blocks)")->required();
  tb::add_cosim_options(*cosim, *request);
  cosim->footer(
      "Example: castor cosim lax --params odd --cycles 1000000 --seed 7\n"
      "A mismatch names block, cycle, field and values, and how to repeat it; the exit code is then 1.");
  cosim->callback([request, block, &result] { result = tb::cosim(find_block(*block).entry, *request); });
}

void add_wave(CLI::App& app, int& result) {
  struct Request {
    std::vector<std::string> inputs;
    std::vector<std::string> scopes;
    std::string output;
  };
  auto request = std::make_shared<Request>();
  CLI::App* const wave = app.add_subcommand("wave", "Merge value change dumps into one");
  wave->add_option("inputs", request->inputs, "VCD files")->required();
  wave->add_option("-o,--output", request->output, "The merged VCD")->required();
  wave->add_option("--scopes", request->scopes, "Scope of each input, in order (default: model rtl)")->delimiter(',');
  wave->footer("Example: castor wave model.vcd rtl.vcd -o both.vcd");
  wave->callback([request, &result] {
    std::vector<std::string> scopes = request->scopes;
    if (scopes.empty() && request->inputs.size() == 2) scopes = {"model", "rtl"};
    if (scopes.empty()) scopes.resize(request->inputs.size());
    if (scopes.size() != request->inputs.size()) {
      throw base::InputError(
          std::to_string(request->inputs.size()) + " files and " + std::to_string(scopes.size()) + " scopes",
          "give one scope for each file: --scopes a,b");
    }
    if (request->inputs.size() > 26) throw base::InputError("more than 26 files");
    std::vector<twin::VcdSource> sources;
    for (std::size_t i = 0; i < scopes.size(); ++i) sources.push_back({request->inputs[i], scopes[i]});
    twin::merge_vcd(sources, request->output);
    result = kGood;
  });
}

}  // namespace castor::platforms::cli
