#include "compiler/sites.h"

#include "compiler/live_registers.h"

namespace castor::compiler {
namespace {

void set_all(isa::SyncSite& site, const isa::Program& program) {
  for (std::uint32_t r = 0; r < program.registers; ++r) site.registers.set(r);
  site.predicates = true;
}

void set_live(isa::SyncSite& site, const RegisterSet& live) {
  for (unsigned r = 0; r < kMaxRegisters; ++r) site.registers[r] = live[r];
  for (unsigned p = 0; p < kPredicateRegisters; ++p) site.predicates = site.predicates || live[kMaxRegisters + p];
}

}  // namespace

void find_sites(isa::Program& program) {
  if ((program.sync.ops & isa::kBlockingOps) == 0) return;
  const LiveRegisters live(program);
  program.sync.sites.clear();
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    if (!isa::is_sync_site(program.code[pc])) continue;
    isa::SyncSite site;
    site.record = pc;
    if (program.sync.sites.size() < isa::kMostSites) {
      set_live(site, live.behind(pc));
    } else {
      set_all(site, program);
    }
    program.sync.sites.push_back(site);
  }
}

}  // namespace castor::compiler
