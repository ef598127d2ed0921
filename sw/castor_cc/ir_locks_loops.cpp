#include "castor_cc/ir_locks_loops.h"

#include <algorithm>
#include <set>
#include <utility>

#include "castor_cc/ir_types.h"

namespace castor::castor_cc {
namespace {

/// Data flow from a lock acquisition to branch conditions: decides whether a condition may differ for the lane that has
/// acquired the lock.
class Influence {
 public:
  /// `chosen`: blocks that only some lanes execute. `acquisition`: line of the acquiring instruction.
  Influence(const IrFunction& function, const IrValues& values, const IrRegion& region, const std::vector<bool>& chosen,
            std::size_t acquisition)
      : function_(function), values_(values), acquisition_(acquisition) {
    const std::vector<IrBlock>& blocks = function.blocks();
    for (std::size_t b = region.head; b <= region.last; ++b)
      for (std::size_t at = blocks[b].label + 1; at < blocks[b].terminator; ++at)
        add(operation_of(function.lines()[at]), chosen[b]);
    for (const IrObject& object : values.argument_objects(operation_of(function.lines()[acquisition])))
      changed_.insert(object);
  }

  /// True if the acquisition may influence `text`, a branch, a switch or an operand.
  bool on(std::string_view text) {
    found_ = false;
    seen_.clear();
    objects_.clear();
    work_.clear();
    for (const std::string_view name : names_in(text))
      if (name[0] == '%') work_.push_back(name);
    while (!found_ && !work_.empty()) {
      const std::string_view value = work_.back();
      work_.pop_back();
      if (seen_.insert(value).second) look(value);
    }
    return found_;
  }

 private:
  void add(std::string_view text, bool chosen) {
    if (begins_with(text, "store ")) {
      const std::vector<std::string_view> operands = split_operands(text.substr(6));
      if (operands.size() < 2) return;
      const IrObject object = values_.object(operands[1]);
      stores_.emplace_back(object, operands[0]);
      if (chosen) changed_.insert(object);
    } else if (chosen && begins_with(text, "call ") && !begins_with(callee_of(text), "llvm.")) {
      for (const IrObject& object : values_.argument_objects(text)) changed_.insert(object);
    }
  }
  void look(std::string_view value) {
    const std::size_t line = values_.line_of(value);
    if (line == 0) return;
    if (line == acquisition_) found_ = true;
    const std::string_view text = values_.definition(value);
    if (begins_with(text, "load ")) {
      const std::vector<std::string_view> operands = split_operands(text.substr(5));
      if (operands.size() > 1) look_at(values_.object(operands[1]));
      return;
    }
    if (begins_with(text, "call "))
      for (const IrObject& object : values_.argument_objects(text)) look_at(object);
    for (const std::string_view name : names_in(text)) {
      if (name[0] != '%') continue;
      work_.push_back(name);
      // The value of a phi also depends on the conditions that led to the block it names.
      if (!begins_with(text, "phi ")) continue;
      if (const auto block = function_.find(name)) {
        for (const std::string_view tested : names_in(function_.lines()[function_.blocks()[*block].terminator]))
          work_.push_back(tested);
      }
    }
  }
  void look_at(const IrObject& object) {
    if (!objects_.insert(object).second) return;
    for (const IrObject& changed : changed_) found_ = found_ || may_be_one(changed, object);
    for (const auto& [stored, value] : stores_) {
      if (!may_be_one(stored, object)) continue;
      for (const std::string_view name : names_in(value)) work_.push_back(name);
    }
  }

  const IrFunction& function_;
  const IrValues& values_;
  std::size_t acquisition_;
  std::vector<std::pair<IrObject, std::string_view>> stores_;
  std::set<IrObject> changed_;
  std::set<IrObject> objects_;
  std::set<std::string_view> seen_;
  std::vector<std::string_view> work_;
  bool found_ = false;
};

}  // namespace

LockLoops::LockLoops(const IrFunction& function, const IrValues& values)
    : function_(function), values_(values), consumed_(function.blocks().size()) {
  const auto acquires = [](const auto& access) { return access.second.acquires(); };
  const auto& accesses = values.accesses();
  if (std::none_of(accesses.begin(), accesses.end(), acquires)) return;
  find_regions();
  for (const IrRegion& region : regions_) {
    if (begins_with(function.blocks()[region.head].name, kHead)) {
      consume(region);
    } else if (single_entry(region) && retries(region)) {
      std::vector<bool> behind(function.blocks().size());
      for (const std::size_t line : acquisitions(region)) {
        const std::size_t from = function.block_of(line);
        const std::vector<bool> reached_here = reached(region, from, behind.size());
        for (std::size_t b = 0; b < behind.size(); ++b) behind[b] = behind[b] || reached_here[b];
        behind[from] = true;
        const std::vector<bool> owner = owner_blocks(region, line);
        // If a later iteration releases the lock, the warp that holds the lock may leave the loop through any exit.
        for (std::size_t b = 0; b < owner.size(); ++b)
          if (owner[b] && !reached_here[b]) behind.assign(behind.size(), true);
      }
      loops_.push_back({region, exits_of(region, behind)});
      consume(region);
    }
  }
}

void LockLoops::find_regions() {
  const std::vector<IrBlock>& blocks = function_.blocks();
  for (std::size_t head = 1; head < blocks.size(); ++head) {
    if (!blocks[head].reachable) continue;
    IrRegion loop{head, 0, true};
    for (const std::size_t before : blocks[head].before)
      if (before >= head && blocks[before].reachable) loop.last = std::max(loop.last, before);
    if (loop.last == 0) continue;
    regions_.push_back(loop);
    add_longer(loop);
  }
  std::stable_sort(regions_.begin(), regions_.end(),
                   [](const IrRegion& a, const IrRegion& b) { return a.last - a.head < b.last - b.head; });
}

/// Extends a loop such as `while (true) { if (atomicCAS(...) != 0) continue; ...; break; }`. Its only back edge
/// precedes the owner's code, which ends in a branch to the next block, and no other edge enters that block.
void LockLoops::add_longer(const IrRegion& loop) {
  static constexpr std::size_t kMost = 64;
  const std::vector<IrBlock>& blocks = function_.blocks();
  for (std::size_t b = loop.last + 1; b + 1 < blocks.size() && b <= loop.last + kMost; ++b) {
    const IrRegion longer{loop.head, b, true};
    if (!blocks[b].reachable || !single_entry(longer)) return;
    if (blocks[b].next.size() != 1 || blocks[b].next[0] != b + 1 || blocks[b + 1].before.size() != 1) continue;
    regions_.push_back(longer);
  }
}

bool LockLoops::single_entry(const IrRegion& region) const {
  const std::vector<IrBlock>& blocks = function_.blocks();
  for (std::size_t b = region.head + 1; b <= region.last; ++b)
    for (const std::size_t before : blocks[b].before)
      if (blocks[before].reachable && !region.contains(before)) return false;
  return true;
}

std::vector<std::size_t> LockLoops::acquisitions(const IrRegion& region) const {
  std::vector<std::size_t> lines;
  for (const auto& [line, access] : values_.accesses()) {
    const std::size_t block = function_.block_of(line);
    if (access.acquires() && region.contains(block) && !consumed_[block] && function_.blocks()[block].reachable)
      lines.push_back(line);
  }
  return lines;
}

void LockLoops::consume(const IrRegion& region) {
  for (std::size_t b = region.head; b <= region.last; ++b) consumed_[b] = true;
}

/// Returns the blocks reachable from `from` in the same iteration without passing `without`.
std::vector<bool> LockLoops::reached(const IrRegion& region, std::size_t from, std::size_t without) const {
  std::vector<bool> reached(function_.blocks().size());
  std::vector<std::size_t> work = {from};
  while (!work.empty()) {
    const std::size_t block = work.back();
    work.pop_back();
    for (const std::size_t next : function_.blocks()[block].next) {
      if (next == without || reached[next] || !region.contains(next) || (region.loop && next == region.head)) continue;
      reached[next] = true;
      work.push_back(next);
    }
  }
  return reached;
}

/// True if the end of the iteration or of the region is reachable from `from` without passing `without`.
bool LockLoops::leaves(const IrRegion& region, std::size_t from, std::size_t without) const {
  std::vector<bool> blocks = reached(region, from, without);
  blocks[from] = true;
  for (std::size_t b = region.head; b <= region.last; ++b) {
    if (!blocks[b]) continue;
    if (function_.blocks()[b].returns) return true;
    for (const std::size_t next : function_.blocks()[b].next)
      if (!region.contains(next) || (region.loop && next == region.head)) return true;
  }
  return false;
}

/// Returns the blocks after an acquisition whose execution depends on the acquired value.
std::vector<bool> LockLoops::chosen(const IrRegion& region, std::size_t acquisition) const {
  const std::vector<IrBlock>& blocks = function_.blocks();
  const std::size_t from = function_.block_of(acquisition);
  std::vector<bool> behind = reached(region, from, blocks.size());
  behind[from] = true;
  std::vector<bool> chosen(blocks.size());
  // A store in a chosen block may decide further branches, so the search repeats until nothing is added.
  for (bool more = true; more;) {
    more = false;
    Influence influence(function_, values_, region, chosen, acquisition);
    for (std::size_t b = region.head; b <= region.last; ++b) {
      if (!behind[b] || blocks[b].next.size() < 2 || !influence.on(function_.lines()[blocks[b].terminator])) continue;
      behind[b] = false;  // each branch is handled once
      const std::vector<bool> decided = reached(region, b, blocks.size());
      for (std::size_t k = region.head; k <= region.last; ++k) {
        if (!decided[k] || chosen[k] || k == from || !leaves(region, b, k)) continue;
        chosen[k] = more = true;
      }
    }
  }
  return chosen;
}

/// Returns the blocks that only lanes with the lock must execute; other lanes may execute them too. Empty if the lock
/// is not released in these blocks.
std::vector<bool> LockLoops::owner_blocks(const IrRegion& region, std::size_t acquisition) const {
  const IrAccess& got = values_.accesses().at(acquisition);
  std::vector<std::size_t> releases;
  for (const auto& [line, access] : values_.accesses()) {
    const std::size_t block = function_.block_of(line);
    if (line != acquisition && region.contains(block) && function_.blocks()[block].reachable && access.releases(got))
      releases.push_back(block);
  }
  if (releases.empty() && !got.attempt) return {};
  const std::size_t from = function_.block_of(acquisition);
  std::vector<bool> owner = chosen(region, acquisition);
  bool released = got.attempt;
  const std::vector<bool> behind = reached(region, from, owner.size());
  for (const std::size_t block : releases) {
    released = released || owner[block];
    // The release may be in another iteration than the acquisition.
    if (!region.loop || block == from || behind[block] || reached(region, block, owner.size())[from]) continue;
    if (!leaves(region, region.head, block)) continue;
    owner[block] = released = true;
  }
  if (!released) return {};
  if (!got.acquired.empty() || got.attempt) return owner;
  // Loops also add to plain counters, but not after a fence.
  for (const auto& [line, access] : values_.accesses())
    if (access.fence && owner[function_.block_of(line)]) return owner;
  return {};
}

std::vector<IrExit> LockLoops::exits_of(const IrRegion& region, const std::vector<bool>& from) const {
  std::vector<IrExit> exits;
  for (std::size_t b = region.head; b <= region.last; ++b) {
    if (!from[b]) continue;
    if (function_.blocks()[b].returns) exits.push_back({b, IrExit::kReturn});
    for (const std::size_t next : function_.blocks()[b].next)
      if (!region.contains(next)) exits.push_back({b, next});
  }
  return exits;
}

/// True if an acquisition of the loop has its release in a branch of the loop, and that branch decides when the loop
/// ends.
bool LockLoops::retries(const IrRegion& region) const {
  for (const std::size_t line : acquisitions(region)) {
    const std::vector<bool> branch = owner_blocks(region, line);
    if (branch.empty()) continue;
    if (!exits_of(region, branch).empty()) return true;
    Influence influence(function_, values_, region, branch, line);
    const std::vector<bool> all(function_.blocks().size(), true);
    for (const IrExit& exit : exits_of(region, all)) {
      const IrBlock& block = function_.blocks()[exit.from];
      if (block.next.size() > 1 && influence.on(function_.lines()[block.terminator])) return true;
      // A block that only leaves the loop, such as one that ends a variable's lifetime, stands for the branch that
      // enters it.
      for (const std::size_t before : block.before)
        if (block.next.size() < 2 && region.contains(before) && function_.blocks()[before].next.size() > 1 &&
            influence.on(function_.lines()[function_.blocks()[before].terminator]))
          return true;
    }
  }
  return false;
}

IrAccess LockLoops::summary() const {
  IrAccess all;
  const IrRegion whole{0, function_.blocks().size() - 1, false};
  const auto known = [](const std::set<IrObject>& objects, std::set<IrObject>& to) {
    for (const IrObject& object : objects) to.insert(object[0] == '@' ? object : "#");
  };
  for (const auto& [line, access] : values_.accesses()) {
    const std::size_t block = function_.block_of(line);
    known(access.written, all.written);
    all.fence = all.fence || access.fence;
    all.written_anywhere = all.written_anywhere || access.written_anywhere;
    if (!access.acquires() || consumed_[block]) continue;
    known(access.acquired, all.acquired);
    known(access.observed, all.observed);
    if (!all.attempt) all.attempt = !owner_blocks(whole, line).empty();
  }
  return all;
}

}  // namespace castor::castor_cc
