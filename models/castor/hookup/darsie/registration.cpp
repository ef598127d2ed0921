#include "castor/hookup/darsie/registration.h"

#include "castor/base/error.h"
#include "castor/hookup/darsie/compared/affine_study.h"
#include "castor/hookup/darsie/compared/dac_ideal.h"
#include "castor/hookup/darsie/compared/no_sync.h"
#include "castor/hookup/darsie/compared/uniform_vector.h"
#include "castor/hookup/darsie/darsie_adapter.h"
#include "castor/hookup/darsie/darsie_statistics.h"
#include "castor/hookup/keys.h"
#include "castor/hookup/twin_of.h"

namespace castor::darsie {
namespace {

/// Throws InputError unless the value of a machine's key is in the range.
void need(const std::string& key, unsigned value, unsigned low, unsigned high) {
  if (value >= low && value <= high) return;
  throw base::InputError("block darsie does not work on this machine: key " + key + " is " + std::to_string(value),
                         low == high ? std::to_string(low) : std::to_string(low) + " to " + std::to_string(high));
}

/// System to simulate (key `system`), in the order of the key's words.
enum class System : std::uint8_t { kDarsie, kUniformVector, kNoSync, kDacIdeal };

/// The compared system of each SM (docs/blocks/darsie.md, "Compared systems").
using Systems = std::vector<std::unique_ptr<hookup::ComparedSystem>>;

/// Throws InputError unless the machine compiles kernels with the marks that the chosen system needs.
void check_marks(const hookup::PlugSite& site, System system) {
  if (system == System::kDacIdeal || site.machine.compile.marks) return;
  const std::string key = system == System::kDarsie ? "enable" : "system";
  const base::ConfigEntry& entry = site.settings.at(key).entry;
  throw base::InputError(
      entry.where,
      "blocks.darsie." + key + " is " + entry.words.front() + ", but compile.marks is 0: no kernel is marked",
      "set compile.marks=1");
}

/// Throws InputError unless the settings suit a system without RTL and the machine's kernels suit the system.
void check_compared(const hookup::PlugSite& site, System system) {
  const base::ConfigValue& word = site.settings.at("system");
  if (site.settings.engine() != twin::Kind::kModel || site.settings.number("wave_depth") != 0) {
    throw base::InputError(word.where(), "blocks.darsie.system is " + word.entry.words.front() + ", which has no RTL",
                           "leave out blocks.darsie.engine and blocks.darsie.wave_depth");
  }
  if (system == System::kDacIdeal && site.settings.file("affine").empty()) {
    throw base::InputError(
        word.where(), "blocks.darsie.system is dac_ideal, but blocks.darsie.affine is none",
        "castor run --functional --set blocks.darsie.enable=1 --set blocks.darsie.affine=FILE writes the file");
  }
}

Systems make_compared(const hookup::PlugSite& site, System system) {
  check_compared(site, system);
  std::shared_ptr<const hookup::AffineInstances> instances;
  if (system == System::kDacIdeal) {
    instances =
        std::make_shared<const hookup::AffineInstances>(hookup::read_affine_instances(site.settings.file("affine")));
  }
  Systems systems;
  for (unsigned sm = 0; sm < site.machine.chip.sms; ++sm) {
    if (system == System::kUniformVector) {
      systems.push_back(std::make_unique<hookup::UniformVector>(site.settings.number("uv_entries")));
    } else if (system == System::kNoSync) {
      systems.push_back(std::make_unique<hookup::NoSync>());
    } else {
      systems.push_back(std::make_unique<hookup::DacIdeal>(instances, site.settings.flag("dac_loads")));
    }
  }
  return systems;
}

void check_machine(const gpu::Machine& machine) {
  need("sm.lanes", machine.sm.lanes, 32, 32);
  need("sm.warps", machine.sm.warps, 1, 64);
  need("sm.tb_contexts", machine.sm.tb_contexts, 1, 32);
  need("fetch.warps", machine.fetch.warps, 1, 1);
  need("fetch.insns", machine.fetch.insns, 1, gpu::kMaxDecode);
  need("issue.warps", machine.issue.warps, 1, gpu::kMaxIssue / (machine.schedulers * machine.issue.per_warp));
  need("rf.banks", machine.rf.banks, 1, 16);
}

}  // namespace

const char* Registration::name() const { return Block::kBlock; }

const std::vector<base::SchemaRow>& Registration::keys() const {
  using namespace hookup;
  static const std::vector<base::SchemaRow> keys{
      choice_key("system", "darsie", {"darsie", "uv", "no_cf_sync", "dac_ideal"},
                 "block darsie, or a system that it is compared with (C++ only)"),
      number_key("entries", 8, "entries", 1, 16, "entries of the skip table per thread block"),
      number_key("rows", 32, "rows", 1, 32, "largest number of renaming rows of a thread block"),
      number_key("slots", 32, "registers", 1, 32, "registers of a program that may be renamed"),
      number_key("read_ports", 2, "groups", 1, 4, "groups of warps that may probe a skip table per tick"),
      flag_key("store_inv", true, "a store of a thread block removes the thread block's loads from the skip table"),
      flag_key("load_skip", true, "1: loads are skipped too"),
      flag_key("skip", true, "1: instructions are skipped; 0: warps only meet at branches"),
      number_key("uv_entries", 64, "entries", 1, 1024, "system uv: entries of the reuse buffer per SM"),
      flag_key("dac_loads", true, "system dac_ideal: loads with a uniform address count as affine, too"),
      file_key("affine", "affine instances: the functional machine writes them there, system dac_ideal reads them")};
  return keys;
}

// Claims of the block. DARSIE itself allows thread blocks to be swapped out. A compared system is a study: its rows
// hold more results than a swapped-out thread block can take with it.
std::vector<hookup::Claim> Registration::claims(const hookup::Settings& settings) const {
  std::vector<hookup::Claim> claims{hookup::Claim::kFiltersFetch, hookup::Claim::kNeedsExecution};
  if (settings.choice<System>("system") != System::kDarsie) claims.push_back(hookup::Claim::kCountsRetired);
  return claims;
}

Params Registration::params(const gpu::Machine& machine, const hookup::Settings& settings) {
  check_machine(machine);
  Params params;
  params.NumWarps = machine.sm.warps;
  params.NumTbs = machine.sm.tb_contexts;
  params.NumPst = settings.number("entries");
  params.NumRows = settings.number("rows");
  params.NumSlots = settings.number("slots");
  params.PstRd = settings.number("read_ports");
  params.DecW = machine.fetch.insns;
  params.NumIss = machine.schedulers * machine.issue.warps * machine.issue.per_warp;
  params.NumSrc = gpu::kMaxOperands;
  params.NumWb = machine.rf.banks;
  params.RowW = Params::number_bits(machine.sm.registers / machine.sm.lanes);
  params.StoreInv = settings.flag("store_inv") ? 1 : 0;
  params.LoadSkip = settings.flag("load_skip") ? 1 : 0;
  params.SkipEn = settings.flag("skip") ? 1 : 0;
  params.check();
  return params;
}

std::shared_ptr<void> Registration::plug(const hookup::PlugSite& site, gpu::Hooks& hooks) const {
  const auto system = site.settings.choice<System>("system");
  check_marks(site, system);
  if (system != System::kDarsie) {
    need("sm.lanes", site.machine.sm.lanes, 32, 32);
    auto systems = std::make_shared<Systems>(make_compared(site, system));
    for (const auto& one : *systems) hooks.fetch_filter.push_back(one.get());
    return systems;
  }
  const Params params = Registration::params(site.machine, site.settings);
  auto adapters = std::make_shared<std::vector<std::unique_ptr<hookup::DarsieAdapter>>>();
  for (unsigned sm = 0; sm < site.machine.chip.sms; ++sm) {
    adapters->push_back(
        std::make_unique<hookup::DarsieAdapter>(hookup::twin_of<Block>(site, params, "sm" + std::to_string(sm))));
    hooks.fetch_filter.push_back(adapters->back().get());
  }
  return adapters;
}

std::shared_ptr<gpu::ExecutionStudy> Registration::study(const hookup::Settings& settings) const {
  const std::string file = settings.file("affine");
  return file.empty() ? nullptr : std::make_shared<hookup::AffineStudy>(file);
}

std::string Registration::statistics_path() const { return "gpu.sm<k>.fetch_filter"; }

std::shared_ptr<void> Registration::declare_statistics(base::StatisticGroup& parent) const {
  struct All {
    explicit All(base::StatisticGroup& group)
        : block(group, []() -> const Counters& { return none(); }), uniform(group), no_sync(group), dac(group) {}
    static const Counters& none() {
      static const Counters zero;
      return zero;
    }
    hookup::DarsieStatistics block;
    hookup::UniformVectorStatistics uniform;
    hookup::NoSyncStatistics no_sync;
    hookup::DacStatistics dac;
  };
  return std::make_shared<All>(parent);
}

}  // namespace castor::darsie
