#include "castor/isa/site_check.h"

#include <algorithm>
#include <bitset>
#include <vector>

namespace castor::isa {
namespace {

constexpr std::size_t kRegisters = 256;
constexpr std::size_t kPredicates = 8;
/// Registers, then predicates.
using Cells = std::bitset<kRegisters + kPredicates>;

Cells read_by(const Record& record, const RegisterUse& use) {
  Cells cells;
  for (unsigned operand = 0; operand < 4; ++operand)
    for (unsigned i = 0; i < use.src[operand]; ++i) cells.set(record.src[operand] + i);
  for (unsigned p = 0; p < kPredicates; ++p) cells[kRegisters + p] = (use.predicates_read >> p & 1) != 0;
  return cells;
}

Cells written_by(const Record& record, const RegisterUse& use) {
  Cells cells;
  for (unsigned i = 0; i < use.dst; ++i) cells.set(record.dst + i);
  for (unsigned p = 0; p < kPredicates; ++p)
    if ((use.predicates_written >> p & 1) != 0) cells.set(kRegisters + p);
  return cells;
}

std::string name_of(const Cells& cells) {
  const std::size_t first = cells._Find_first();
  return first < kRegisters ? "R" + std::to_string(first) : "P" + std::to_string(first - kRegisters);
}

/// Follows lost values (registers without a meaningful content) through a program.
class LostValues {
 public:
  /// First record that reads a lost value, with the value.
  struct Use {
    std::uint32_t pc = 0;
    Cells cells;
  };

  explicit LostValues(const Program& program) : program_(program) {
    find_calls();
    find_summaries();
  }

  /// Returns the first read of a value of `lost` by threads that start behind record `pc`, if there is one.
  [[nodiscard]] std::optional<Use> first_use(std::uint32_t pc, const Cells& lost) const {
    Walk walk(program_.code.size());
    walk.enter(pc + 1, lost);
    while (!walk.open.empty()) {
      const std::uint32_t at = walk.take();
      const Cells read = walk.lost[at] & reads(at);
      if (read.any()) return Use{at, read};
      step(at, walk);
      if (program_.code[at].kind != Kind::kReturn) continue;
      for (const std::uint32_t call : callers_[function_of_[at]]) walk.enter(call + 1, walk.lost[at]);
    }
    return std::nullopt;
  }

 private:
  /// Effect of a function on values that are lost at its entry.
  struct Summary {
    Cells read;  ///< may be read
    Cells kept;  ///< may still be lost at a return
  };
  /// Lost values before each record that was reached, and the records still to be followed.
  struct Walk {
    explicit Walk(std::size_t records) : lost(records + 1), reached(records + 1), queued(records + 1) {}

    void enter(std::uint32_t pc, const Cells& cells) {
      if (pc + 1 == lost.size()) return;  // the end of the code, after a call that does not return
      const Cells sum = lost[pc] | cells;
      if (reached[pc] && sum == lost[pc]) return;
      lost[pc] = sum;
      reached[pc] = true;
      if (!queued[pc]) open.push_back(pc);
      queued[pc] = true;
    }
    [[nodiscard]] std::uint32_t take() {
      const std::uint32_t pc = open.back();
      open.pop_back();
      queued[pc] = false;
      return pc;
    }

    std::vector<Cells> lost;
    std::vector<bool> reached, queued;
    std::vector<std::uint32_t> open;
  };

  void find_calls() {
    function_of_.assign(program_.code.size(), 0);
    for (std::uint32_t f = 0; f < program_.functions.size(); ++f)
      for (std::uint32_t i = 0; i < program_.functions[f].count; ++i) function_of_[program_.functions[f].first + i] = f;
    callers_.resize(program_.functions.size());
    for (std::uint32_t pc = 0; pc < program_.code.size(); ++pc)
      for (const std::uint32_t f : callees(pc)) callers_[f].push_back(pc);
  }

  void find_summaries() {
    summaries_.resize(program_.functions.size());
    for (bool grown = true; grown;) {
      grown = false;
      for (std::uint32_t f = 1; f < program_.functions.size(); ++f) {
        const Summary found = summary(f);
        grown = grown || found.read != summaries_[f].read || found.kept != summaries_[f].kept;
        summaries_[f] = found;
      }
    }
  }

  [[nodiscard]] Summary summary(std::uint32_t function) const {
    Summary found;
    Walk walk(program_.code.size());
    walk.enter(program_.functions[function].first, Cells().set());
    while (!walk.open.empty()) {
      const std::uint32_t at = walk.take();
      found.read |= walk.lost[at] & reads(at);
      if (program_.code[at].kind == Kind::kReturn) found.kept |= walk.lost[at];
      step(at, walk);
    }
    return found;
  }

  /// Returns the registers that a record reads; for a call, also the registers that its callees may read.
  [[nodiscard]] Cells reads(std::uint32_t pc) const {
    Cells cells = read_by(program_.code[pc], program_.uses[pc]);
    for (const std::uint32_t f : callees(pc)) cells |= summaries_[f].read;
    return cells;
  }

  /// Enters the records of the same function that follow a record.
  void step(std::uint32_t pc, Walk& walk) const {
    const Record& record = program_.code[pc];
    const bool guarded = record.guard != kNoGuard;
    const Cells lost = walk.lost[pc];
    switch (record.kind) {
      case Kind::kBranch:
        walk.enter(record.branch.target, lost);
        if (guarded) walk.enter(pc + 1, lost);
        return;
      case Kind::kBranchIndirect:
        for (const std::uint32_t target : program_.branch_tables[record.imm])
          if (target != kNoPc) walk.enter(target, lost);
        if (guarded) walk.enter(pc + 1, lost);
        return;
      case Kind::kCall:
      case Kind::kCallIndirect:
        for (const std::uint32_t f : callees(pc)) walk.enter(pc + 1, lost & summaries_[f].kept);
        if (guarded) walk.enter(pc + 1, lost);
        return;
      case Kind::kReturn:
      case Kind::kExit:
      case Kind::kTrap:
        if (guarded) walk.enter(pc + 1, lost);
        return;
      default:
        walk.enter(pc + 1, guarded ? lost : lost & ~written_by(record, program_.uses[pc]));
        return;
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> callees(std::uint32_t pc) const {
    const Record& record = program_.code[pc];
    if (record.kind == Kind::kCall) return {function_of_[record.branch.target]};
    if (record.kind != Kind::kCallIndirect) return {};
    std::vector<std::uint32_t> found;
    for (const auto& [value, first] : program_.functions_by_value) found.push_back(function_of_[first]);
    for (std::uint32_t f = 1; found.empty() && f < program_.functions.size(); ++f) found.push_back(f);
    return found;
  }

  const Program& program_;
  std::vector<std::uint32_t> function_of_;           // per record
  std::vector<std::vector<std::uint32_t>> callers_;  // per function: records that may call it
  std::vector<Summary> summaries_;                   // per function
};

/// Returns the registers and predicates that a site leaves out.
Cells left_out(const SyncSite& site, const Program& program) {
  Cells cells;
  for (std::uint32_t r = 0; r < program.registers; ++r) cells[r] = !site.registers[r];
  for (std::size_t p = 0; p < kPredicates; ++p) cells[kRegisters + p] = !site.predicates;
  return cells;
}

/// Returns the first error of the list of sites that is not about register sets.
std::optional<WrongSite> find_wrong_list(const Program& program) {
  SyncSet ops = 0;
  std::size_t next = 0;
  const std::vector<SyncSite>& sites = program.sync.sites;
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const Record& record = program.code[pc];
    if (record.kind != Kind::kSync) continue;
    if (record.imm >= kSyncOps) return WrongSite{pc, "there is no such operation"};
    ops |= sync_bit(static_cast<SyncOp>(record.imm));
    if (!is_sync_site(record)) continue;
    if (next == sites.size() || sites[next].record != pc)
      return WrongSite{pc, "a thread block may sleep here, but it is not site " + std::to_string(next)};
    ++next;
  }
  if (next != sites.size())
    return WrongSite{sites[next].record, "site " + std::to_string(next) + " is no place where a thread block sleeps"};
  if (ops != program.sync.ops) return WrongSite{0, "the operations of the program are not those of its records"};
  return std::nullopt;
}

}  // namespace

std::optional<WrongSite> find_wrong_site(const Program& program) {
  if (std::optional<WrongSite> wrong = find_wrong_list(program)) return wrong;
  const std::vector<SyncSite>& sites = program.sync.sites;
  if (sites.empty()) return std::nullopt;
  const LostValues values(program);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const std::string site = "site " + std::to_string(i);
    if ((sites[i].registers >> program.registers).any())
      return WrongSite{sites[i].record, site + " names registers that the kernel does not have"};
    const Cells lost = left_out(sites[i], program);
    if (i >= kMostSites && lost.any())
      return WrongSite{sites[i].record, site + " leaves out " + name_of(lost) + "; only the first " +
                                            std::to_string(kMostSites) + " sites may leave out registers"};
    const std::optional<LostValues::Use> use = values.first_use(sites[i].record, lost);
    if (!use) continue;
    std::string what = site + " leaves out " + name_of(use->cells) + ", which record " + std::to_string(use->pc);
    if (use->pc < program.spellings.size()) what += " (" + program.spellings[use->pc] + ")";
    return WrongSite{sites[i].record, what + " needs"};
  }
  return std::nullopt;
}

const SyncSite* find_site(const Program& program, std::uint32_t pc) {
  const std::vector<SyncSite>& sites = program.sync.sites;
  const auto found = std::lower_bound(sites.begin(), sites.end(), pc,
                                      [](const SyncSite& site, std::uint32_t at) { return site.record < at; });
  return found != sites.end() && found->record == pc ? &*found : nullptr;
}

}  // namespace castor::isa
