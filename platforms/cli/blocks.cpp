// castor cosim, castor wave, castor list blocks: hardware blocks, model against RTL.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "castor/base/child_process.h"
#include "castor/base/error.h"
#include "castor/base/json_text.h"
#include "castor/base/shared_object.h"
#include "castor/base/terminal.h"
#include "castor/twin/block_folder.h"
#include "castor/twin/block_object.h"
#include "castor/twin/rtl_builder.h"
#include "castor/twin/vcd.h"
#include "platforms/block_document.h"
#include "platforms/cli/commands.h"
#include "platforms/cli/saved_view.h"
#include "runtime/run_options.h"
#include "tb/common/cosim.h"

namespace castor::platforms::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The verification steps ("rungs") recorded for a block, from the cheapest to the most expensive.
constexpr const char* kRungs[] = {"unit", "lockstep", "cover", "formal", "netlist", "mutation", "platform", "area"};

/// Returns the path that the manifest has under `key`; empty if it has no such key.
fs::path path_in(const twin::BlockFolder& block, const Json& manifest, const char* key) {
  const auto found = manifest.find(key);
  if (found == manifest.end()) return {};
  return (fs::path(block.path) / found->get<std::string>()).lexically_normal();
}

/// Returns the parameter sets of the block's RTL; none for a block without RTL.
tb::ParamSets sets_of(const twin::BlockFolder& block, const Json& manifest) {
  tb::ParamSets sets;
  const fs::path rtl = path_in(block, manifest, "rtl");
  if (rtl.empty()) return sets;
  const Json named = base::read_json_file(rtl / "parameter_sets.json");
  for (const auto& [name, values] : named.items()) {
    sets.emplace_back(name, twin::ParamValues{});
    for (const auto& [parameter, value] : values.items()) {
      sets.back().second.emplace_back(parameter, value.get<std::uint32_t>());
    }
  }
  return sets;
}

/// Returns the block's entry from its bench.so, which is built if missing. First checks the parts of `request` that the
/// manifest can decide: parameters and writable files.
tb::BlockEntry load_bench(const std::string& name, const tb::CosimRequest& request) {
  const twin::BlockFolder block = twin::find_block(name);
  const Json manifest = base::read_json_file(block.manifest());
  static_cast<void>(tb::chosen_params(name, sets_of(block, manifest), request.params));
  for (const std::string* const file : {&request.json, &request.wave, &request.coverage}) {
    if (!file->empty()) runtime::check_writable(*file);
  }
  const std::string path = twin::block_object(block, "bench");
  const base::ObjectHeader& header = base::load_object(path, "castor_bench_object", "bench", name);
  tb::BlockEntry entry = reinterpret_cast<const tb::BenchObject&>(header).entry();
  entry.sets = sets_of(block, manifest);
  return entry;
}

std::string values_text(const twin::ParamValues& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(value);
  }
  return text;
}

/// Options of `castor cosim` beside the request itself.
struct Cosim {
  std::string block;
  tb::CosimRequest request;
  bool list = false;
  std::string describe;
  bool defaults = false;
};

/// Writes a saved view beside a waveform file, and prints the command that opens both.
void tell_view(const std::string& wave) {
  const std::string view = write_saved_view(wave);
  std::printf("  look:   gtkwave %s %s\n", wave.c_str(), view.c_str());
}

int run_cosim(Cosim& asked) {
  tb::CosimRequest& request = asked.request;
  const tb::BlockEntry block = load_bench(asked.block, request);
  if (asked.list) {
    for (const auto& [name, values] : block.sets) std::printf("%-10s %s\n", name.c_str(), values_text(values).c_str());
    for (const tb::SequenceInfo& info : block.sequences) {
      std::printf("--sequence %s: %s\n", std::string(info.name).c_str(), std::string(info.meaning).c_str());
    }
    std::printf("without --params, --cycles and --sequence:\n");
    for (const tb::PlannedRun& run : tb::default_runs(block)) {
      const std::string sequence = run.sequence.empty() ? "" : " --sequence " + run.sequence;
      std::printf("--params %s --cycles %llu%s\n", run.set.c_str(), static_cast<unsigned long long>(run.cycles),
                  sequence.c_str());
    }
    return kGood;
  }
  if (!asked.defaults) request.values = tb::chosen_params(block.name, block.sets, request.params);
  if (!asked.describe.empty()) {
    const tb::Description description = block.describe(request.values);
    std::fputs((asked.describe == "json" ? tb::json(description) : tb::markdown(description)).c_str(), stdout);
    return kGood;
  }
  using Variant = twin::RtlBuilder::Variant;
  twin::RtlBuilder builder(request.coverage.empty() ? Variant::kPlain : Variant::kCoverage);
  int code = kGood;
  if (request.rtl_file.empty()) {
    request.rtl = &builder;
    code = tb::cosim(block, request);
  } else {
    request.rtl_file = fs::absolute(request.rtl_file).string();
    twin::RtlFile file(request.rtl_file);
    request.rtl = &file;
    code = tb::cosim(block, request);
  }
  if (!request.wave.empty()) tell_view(request.wave);
  return code;
}

/// Returns {"blocks": {block: {rung: state}}, "campaign": [part, ...]}: the state of each rung, from the flow castor
/// evidence, which records them.
Json states_of_rungs(const std::string& only) {
  std::vector<std::string> words{"--states"};
  if (!only.empty()) words.push_back(only);
  const base::Answer answer = base::run(flow_command("evidence", words), "python3");
  Json states = Json::parse(answer.text, nullptr, false);
  if (answer.status != 0 || !states.is_object()) {
    throw base::InputError("castor evidence --states returned no states of the rungs");
  }
  return states;
}

/// Returns the character that represents a rung's state in the table.
char mark_of(const std::string& state) {
  if (state == "ok") return '+';
  if (state == "stale") return 's';
  if (state == "due") return 'd';
  return state == "recorded" ? 'r' : '-';
}

/// Returns the number of lockstep cycles from the figure text of the rung: "13.4 M" from "0 of 672 runs with a
/// mismatch, 13.4 million cycles".
std::string lockstep_cycles(const Json& block) {
  const auto found = block["evidence"].find("lockstep");
  if (found == block["evidence"].end()) return "-";
  std::istringstream words(found->value("figure", ""));
  std::string before;
  std::string last;
  for (std::string word; words >> word && word.rfind("cycles", 0) != 0;) {
    before = last;
    last = word;
  }
  return last == "million" ? before + " M" : last.empty() ? "-" : last;
}

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

/// Prints one line per block. Up to a dozen blocks fit on a screen of 24 lines and 100 columns.
void print_table(const Json& all, const Json& campaign) {
  std::printf("%-12s %4s  %8s  %-8s  %s\n", "block", "sets", "lockstep", "ULCFNMPA", "question");
  for (const auto& block : all) {
    std::string marks;
    for (const char* const rung : kRungs) marks += mark_of(block["states"].value(rung, ""));
    std::printf("%-12s %4zu  %8s  %-8s  %s\n", cut(block["name"], 12).c_str(), block["parameter_sets"].size(),
                cut(lockstep_cycles(block), 8).c_str(), marks.c_str(), cut(block["meaning"], 60).c_str());
  }
  std::printf(
      "\nrungs: U unit, L lockstep (cycles), C cover, F formal, N netlist, M mutation, P platform, A area\n"
      "marks: + as recorded on these sources, s stale, d due (docs/campaign.md), - missing, r as recorded\n"
      "castor list blocks NAME: sets, figures and commands; castor evidence NAME --explain: why stale\n");
  std::size_t passed = 0;
  std::string others;
  for (const auto& line : campaign) {
    const bool good = line.value("result", "") == "passed";
    passed += good ? 1 : 0;
    if (!good) others += " " + line.value("part", "") + " " + line.value("result", "");
  }
  if (campaign.empty()) return;
  const Json& last = campaign.back();
  std::printf("%s\n", cut("campaign: " + std::to_string(passed) + " of " + std::to_string(campaign.size()) +
                              " parts passed, last " + last.value("part", "") + " on " + last.value("date", "") +
                              " at " + last.value("commit", "") + (others.empty() ? "" : "; not:" + others),
                          100)
                          .c_str());
}

/// Prints all evidence that is recorded for one block.
void print_details(const Json& block) {
  std::printf("%s: %s\n", block["name"].get<std::string>().c_str(), block["meaning"].get<std::string>().c_str());
  for (const auto& [name, params] : block["parameter_sets"].items()) {
    std::printf("  set %-9s %s\n", name.c_str(), params.get<std::string>().c_str());
  }
  for (const char* const rung : kRungs) {
    const auto found = block["evidence"].find(rung);
    const std::string state = block["states"].value(rung, "");
    if (found == block["evidence"].end()) {
      std::printf("  %-9s     %snot recorded\n", rung, state == "due" ? "DUE: " : "");
      continue;
    }
    const char* const word = state == "stale" ? "STALE: " : state == "due" ? "DUE: " : "";
    std::printf("  %-9s     %s%s\n  %13s   by: %s\n", rung, word, found->value("figure", "?").c_str(), "",
                found->value("command", "?").c_str());
    if (found->contains("date")) {
      std::printf("  %13s   on: %s, commit %s", "", found->value("date", "?").c_str(),
                  found->value("commit", "?").c_str());
      if (found->contains("seconds")) {
        std::printf(", %d s, %d s of CPU", found->value("seconds", 0), found->value("cpu_seconds", 0));
      }
      std::printf("\n");
    }
  }
}

/// Returns a block as JSON for the list. `states`: states of the block's rungs. Throws InputError if the manifest, or a
/// file that it names, does not have the format that castor_block writes.
Json listed(const twin::BlockFolder& block, const Json& states) {
  const Json manifest = base::read_json_file(block.manifest());
  try {
    Json sets = Json::object();
    for (const auto& [name, values] : sets_of(block, manifest)) sets[name] = values_text(values);
    const fs::path evidence = path_in(block, manifest, "evidence");
    Json stale = Json::array();
    for (const auto& [rung, state] : states.items()) {
      if (state == "stale") stale.push_back(rung);
    }
    return {{"name", manifest.at("name").get<std::string>()},
            {"meaning", manifest.value("meaning", "")},
            {"folder", block.path},
            {"parameter_sets", sets},
            {"evidence", evidence.empty() ? Json::object() : base::read_json_file(evidence)},
            {"states", states},
            {"stale", stale}};
  } catch (const Json::exception&) {
    throw base::InputError({block.manifest(), 0, 0}, "this is no manifest as castor_block writes it",
                           "build the block again");
  }
}

}  // namespace

int list_blocks(const std::string& only, bool json, bool markdown) {
  if (markdown) {
    std::fputs(block_document(only).c_str(), stdout);
    return kGood;
  }
  Json all = Json::array();
  const auto blocks = only.empty() ? twin::find_blocks() : std::vector<twin::BlockFolder>{twin::find_block(only)};
  if (!only.empty()) static_cast<void>(listed(blocks[0], Json::object()));  // checks the block, which may be broken
  const Json found = states_of_rungs(only);
  int code = kGood;
  for (const twin::BlockFolder& block : blocks) {
    try {
      all.push_back(listed(block, found["blocks"].value(block.name, Json::object())));
    } catch (const base::InputError& error) {
      if (!only.empty()) throw;
      base::complain("block " + block.name + ": " + error.what());
      code = kWrongRequest;
    }
  }
  if (json) {
    std::printf("%s\n", all.dump(2).c_str());
    return code;
  }
  if (only.empty()) {
    print_table(all, found["campaign"]);
    return code;
  }
  print_details(all.front());
  if (!base::read_json_file(blocks[0].manifest()).value("registration", "").empty())
    std::printf("\n%s", block_document(only).c_str());
  return code;
}

void add_cosim(CLI::App& app, int& result) {
  auto asked = std::make_shared<Cosim>();
  tb::CosimRequest& request = asked->request;
  CLI::App* const cosim = app.add_subcommand("cosim", "Run a block's model against its RTL");
  cosim->add_option("block", asked->block, "Block (castor list blocks)")->required();
  cosim->add_option("--params", request.params,
                    "Parameter set, or values: odd, NumSched=2,EvqDepth=7, odd,EvqDepth=7 (the rest as in the set)");
  cosim->add_option("--cycles", request.cycles, "Clock cycles (default: 200000)");
  cosim->add_option("--seed", request.seed, "Seed of stimulus and power-up values")->capture_default_str();
  cosim->add_option("--sequence", request.sequence, "How the block is driven (default: the block's first)");
  cosim->add_option("--engine", request.engine, "model, rtl or lockstep")
      ->check(CLI::IsMember({"model", "rtl", "lockstep"}).description(""))
      ->capture_default_str();
  cosim->add_flag("!--no-skip", request.skip, "Clock idle stretches too");
  cosim->add_option("--wave", request.wave,
                    "VCD of model and RTL: ports and probes; and a view of it for GTKWave, .gtkw");
  cosim
      ->add_option("--wave-depth", request.wave_depth,
                   "Levels of RTL modules whose internal signals the waves show: 1 the block's own, 99 all (slow)")
      ->capture_default_str();
  cosim->add_option("--wave-from", request.wave_from, "First cycle of the waves");
  cosim->add_option("--wave-to", request.wave_to, "First cycle after the waves");
  cosim->add_option("--dump", request.dump,
                    "File for the last cycles before a mismatch, without .vcd (default: <block>-<params>-<seed>)");
  cosim->add_option("--coverage", request.coverage,
                    "Counts executed lines and toggles of the RTL and writes them to this file");
  cosim->add_option("--rtl", request.rtl_file, "RTL object to run instead of the block's own, at the same parameters");
  cosim->add_option("--json", request.json, "Result as JSON");
  cosim->add_flag("--all", request.all, "Every parameter set with every sequence")
      ->excludes("--wave")
      ->excludes("--json")
      ->excludes("--rtl");
  cosim->add_flag("--cover", request.cover, "Print every cover point");
  cosim->add_flag("--list", asked->list, "List the parameter sets and sequences, and what runs by default");
  cosim->add_option("--describe", asked->describe, "Ports and parameters at --params: json, or markdown tables")
      ->check(CLI::IsMember({"json", "markdown"}));
  cosim->add_flag("--defaults", asked->defaults,
                  "With --describe: at the default of every parameter, whatever the sets are");
  cosim->footer(
      "Example: castor cosim lax --params odd --cycles 1000000 --seed 7\n"
      "Without --params, --cycles and --sequence: minimum, odd, default and large (--list: how long).\n"
      "A mismatch names block, cycle, field and values, and how to repeat it; the exit code is then 1.");
  cosim->callback([asked, &result] { result = run_cosim(*asked); });
}

void add_wave(CLI::App& app, int& result) {
  struct Request {
    std::vector<std::string> inputs;
    std::vector<std::string> scopes;
    std::string output;
    bool view = false;
  };
  auto request = std::make_shared<Request>();
  CLI::App* const wave = app.add_subcommand("wave", "Merge value change dumps into one, or make a view of one");
  wave->add_option("inputs", request->inputs, "VCD files")->required();
  CLI::Option* const output = wave->add_option("-o,--output", request->output, "The merged VCD");
  wave->add_flag("--view", request->view, "A view for GTKWave of waves of a block: FILE.gtkw beside FILE.vcd")
      ->excludes(output);
  wave->add_option("--scopes", request->scopes, "Scope of each input, in order (default: model rtl)")->delimiter(',');
  wave->footer("Examples: castor wave model.vcd rtl.vcd -o both.vcd; castor wave lax-default-1.vcd --view");
  wave->callback([request, &result] {
    result = kGood;
    if (request->view) {
      for (const std::string& input : request->inputs) tell_view(input);
      return;
    }
    if (request->output.empty()) {
      throw base::InputError("castor wave needs an output file", "-o FILE, or --view");
    }
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
  });
}

}  // namespace castor::platforms::cli
