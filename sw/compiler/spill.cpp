#include <algorithm>
#include <map>
#include <unordered_map>

#include "compiler/allocate.h"
#include "compiler/builder.h"

namespace castor::compiler {
namespace {

using isa::Kind;

bool writes_own_guard(const Inst& inst) {
  return inst.guard.valid() && (inst.pdst[0] == inst.guard.reg || inst.pdst[1] == inst.guard.reg);
}

bool changes_by_itself(std::uint64_t special) {
  switch (static_cast<isa::SpecialRegister>(special)) {
    case isa::SpecialRegister::kClock:
    case isa::SpecialRegister::kClockHi:
    case isa::SpecialRegister::kClock64:
    case isa::SpecialRegister::kGlobalTimer:
    case isa::SpecialRegister::kGlobalTimerLo:
    case isa::SpecialRegister::kGlobalTimerHi:
      return true;
    default:
      return false;
  }
}

/// Rewrites all instructions, block by block. f(index, instruction, before, after) may change the instruction and
/// insert others before and after it. f returns whether to keep the instruction.
template <class F>
void rewrite(Code& code, const F& f) {
  std::vector<Inst> insts;
  insts.reserve(code.insts.size() * 5 / 4);
  std::vector<Inst> before;
  std::vector<Inst> after;
  for (Block& block : code.blocks) {
    const std::uint32_t first = block.first;
    block.first = static_cast<std::uint32_t>(insts.size());
    for (std::uint32_t i = first; i < block.last; ++i) {
      Inst inst = code.insts[i];
      before.clear();
      after.clear();
      const bool keep = f(i, inst, before, after);
      insts.insert(insts.end(), before.begin(), before.end());
      if (keep) insts.push_back(inst);
      insts.insert(insts.end(), after.begin(), after.end());
    }
    block.last = static_cast<std::uint32_t>(insts.size());
  }
  code.insts = std::move(insts);
}

/// Spill slots of one width, in the order in which they were made. A binary tree over the slots knows, for each
/// subtree, a segment in which all its slots are taken: the overlap of their longest segments. The search skips a
/// subtree if this segment overlaps the longest segment of the live range.
class SlotTree {
 public:
  struct Slot {
    std::uint64_t offset = 0;
    std::vector<Segment> taken;
  };

  /// Returns the first slot that is free during `life`; nullptr if none is.
  [[nodiscard]] Slot* find(const std::vector<Segment>& life) {
    if (slots_.empty()) return nullptr;
    const std::size_t found = find(1, longest(life), life);
    return found == kNone ? nullptr : &slots_[found];
  }
  void take(Slot& slot, const std::vector<Segment>& life) {
    unite(slot.taken, life);
    update(static_cast<std::size_t>(&slot - slots_.data()));
  }
  void add(std::uint64_t offset, const std::vector<Segment>& life) {
    slots_.push_back({offset, life});
    if (slots_.size() > leaves_) {
      leaves_ *= 2;
      nodes_.assign(2 * leaves_, {});
      for (std::size_t i = 0; i + 1 < slots_.size(); ++i) update(i);
    }
    update(slots_.size() - 1);
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// Node of a tree over the slots. It holds, over the longest segment of each slot below the node, the last begin and
  /// the first end. A node without slots below holds values that no lifetime excludes.
  struct Node {
    std::uint32_t last_begin = 0;
    std::uint32_t first_end = kNoIndex;
  };

  static Segment longest(const std::vector<Segment>& life) {
    Segment best;
    for (const Segment& s : life)
      if (s.end - s.begin > best.end - best.begin) best = s;
    return best;
  }
  void update(std::size_t slot) {
    const Segment segment = longest(slots_[slot].taken);
    std::size_t node = leaves_ + slot;
    nodes_[node] = {segment.begin, segment.end};
    while ((node /= 2) != 0) {
      const Node& left = nodes_[2 * node];
      const Node& right = nodes_[2 * node + 1];
      nodes_[node] = {std::max(left.last_begin, right.last_begin), std::min(left.first_end, right.first_end)};
    }
  }
  [[nodiscard]] std::size_t find(std::size_t node, Segment part, const std::vector<Segment>& life) const {
    if (nodes_[node].last_begin < part.end && nodes_[node].first_end > part.begin) return kNone;
    if (node >= leaves_) {
      const std::size_t slot = node - leaves_;
      return slot < slots_.size() && !overlap(slots_[slot].taken, life) ? slot : kNone;
    }
    const std::size_t left = find(2 * node, part, life);
    return left != kNone ? left : find(2 * node + 1, part, life);
  }

  std::vector<Slot> slots_;
  std::size_t leaves_ = 1;
  std::vector<Node> nodes_ = std::vector<Node>(2);
};

/// Spill slots in the frame; groups whose lives do not overlap share a slot.
class Slots {
 public:
  explicit Slots(Code& code) : code_(code) {}

  /// Returns the frame offset of a slot for a group.
  std::uint64_t find(const SpillGroup& group) {
    SlotTree& slots = slots_[group.width];
    if (SlotTree::Slot* const slot = slots.find(group.life)) {
      slots.take(*slot, group.life);
      return slot->offset;
    }
    const std::uint64_t align = group.width > 1 ? 8 : 4;
    const std::uint64_t offset = (code_.frame_bytes + align - 1) / align * align;
    code_.spill_bytes += offset + 4 * std::uint64_t{group.width} - code_.frame_bytes;
    code_.frame_bytes = offset + 4 * std::uint64_t{group.width};
    code_.frame_align = std::max(code_.frame_align, align);
    slots.add(offset, group.life);
    return offset;
  }

 private:
  Code& code_;
  std::map<unsigned, SlotTree> slots_;  // by width
};

RegisterId spill_temporary(Code& code, RegisterClass cls) {
  const RegisterId id = code.make(cls);
  code.registers[id].unspillable = true;
  return id;
}

}  // namespace

std::vector<std::uint32_t> cheap_definitions(const Code& code) {
  std::vector<std::uint32_t> definition(code.registers.size(), kNoIndex);
  std::vector<std::uint8_t> count(code.registers.size(), 0);
  for (std::uint32_t i = 0; i < code.insts.size(); ++i) {
    const Inst& inst = code.insts[i];
    for_each_def(inst, [&](RegisterId id) {
      if (count[id] < 2) ++count[id];
      definition[id] = i;
    });
    if (inst.call != kNoIndex)
      for (const RegisterId id : code.calls[inst.call].results) count[id] = 2;
  }
  for (const RegisterId id : code.entry_registers) count[id] = 2;
  for (RegisterId id = 0; id < code.registers.size(); ++id) {
    if (definition[id] == kNoIndex) continue;
    const Inst& inst = code.insts[definition[id]];
    bool cheap = count[id] == 1 && !inst.guard.valid() && inst.vector == VectorOperand::kNone && inst.dst.is_register();
    if (inst.kind == Kind::kMemory) {
      cheap = cheap && code.kernel && inst.memory.space == isa::Space::kParam && inst.src[0].none() &&
              inst.memory.kind == isa::MemoryKind::kLoad;
    } else if (inst.kind == Kind::kLane) {
      const std::string& opcode = inst.match.row().opcode;
      const bool constant = (opcode == "$move" || opcode == "mov" || opcode == "cvta") && inst.src[0].is_constant() &&
                            inst.src[1].none() && inst.pdst[0] == kNoRegister;
      cheap = cheap && (constant || (opcode == "$special" && !changes_by_itself(inst.imm)));
    } else {
      cheap = false;
    }
    if (!cheap) definition[id] = kNoIndex;
  }
  return definition;
}

void spill_registers(Code& code, const std::vector<SpillGroup>& groups) {
  std::vector<std::uint32_t> cheap = cheap_definitions(code);
  std::vector<bool> spilled(code.registers.size(), false);
  Slots slots(code);
  for (const SpillGroup& group : groups) {
    std::uint64_t slot = kNoIndex;
    for (const auto& [id, unit] : group.members) {
      spilled[id] = true;
      if (cheap[id] != kNoIndex) continue;
      if (slot == kNoIndex) slot = slots.find(group);
      code.registers[id].slot = static_cast<std::int32_t>(slot + 4 * unit);
    }
  }
  const std::vector<Inst> original = code.insts;
  const auto is_spilled = [&](RegisterId id) { return id < spilled.size() && spilled[id]; };
  const auto access = [&](bool load, RegisterId own, RegisterId temporary, const Inst& around) {
    const RegisterClass cls = code.registers[own].cls;
    Inst inst = local_access(load, cls, LocalBase::kFrame, static_cast<std::uint64_t>(code.registers[own].slot),
                             cls == RegisterClass::kPair ? 8 : 4);
    (load ? inst.dst : inst.src[1]) = Value::of(temporary);
    inst.guard = around.guard;
    inst.where = around.where;
    return inst;
  };
  // Makes an instruction that writes the value of `own` to register `to`, by a load or by computing it.
  const auto fetch = [&](RegisterId own, RegisterId to, const Inst& around) {
    if (cheap[own] == kNoIndex) return access(true, own, to, around);
    Inst inst = original[cheap[own]];
    inst.dst = Value::of(to);
    inst.guard = around.guard;
    inst.where = around.where;
    return inst;
  };
  rewrite(code, [&](std::uint32_t index, Inst& inst, std::vector<Inst>& before, std::vector<Inst>& after) {
    if (inst.dst.is_register() && is_spilled(inst.dst.reg) && cheap[inst.dst.reg] == index) return false;
    if (inst.move && inst.dst.is_register() && inst.src[0].is_register()) {
      const RegisterId to = inst.dst.reg;
      const RegisterId from = inst.src[0].reg;
      if (is_spilled(from) && is_spilled(to) && cheap[from] == kNoIndex &&
          code.registers[from].slot == code.registers[to].slot)
        return false;
      if (is_spilled(from) && !is_spilled(to)) {
        before.push_back(fetch(from, to, inst));
        return false;
      }
      if (is_spilled(to) && !is_spilled(from)) {
        before.push_back(access(false, to, from, inst));
        return false;
      }
    }
    std::vector<std::pair<RegisterId, RegisterId>> fetched;
    for_each_use(inst, [&](RegisterId& id) {
      if (!is_spilled(id)) return;
      for (const auto& [own, temporary] : fetched)
        if (own == id) {
          // Lowering guarantees that a vector contains each register only once.
          id = temporary;
          return;
        }
      const RegisterId temporary = spill_temporary(code, code.registers[id].cls);
      before.push_back(fetch(id, temporary, inst));
      fetched.emplace_back(id, temporary);
      id = temporary;
    });
    for_each_def(inst, [&](RegisterId& id) {
      if (!is_spilled(id)) return;
      const RegisterId temporary = spill_temporary(code, code.registers[id].cls);
      Inst store = access(false, id, temporary, inst);
      if (writes_own_guard(inst)) {
        // The instruction overwrites its own guard, so all lanes execute the store after it. Lanes that did not execute
        // the instruction store their old value.
        Inst load = access(true, id, temporary, inst);
        load.guard = {};
        before.push_back(load);
        store.guard = {};
        code.registers[temporary].temporary = false;
      }
      after.push_back(store);
      id = temporary;
    });
    return true;
  });
}

void spill_predicates(Code& code, const std::vector<SpillGroup>& groups) {
  std::unordered_map<RegisterId, RegisterId> word;
  for (const SpillGroup& group : groups) {
    const RegisterId shared = code.make(RegisterClass::kSingle, false);
    for (const auto& [id, unit] : group.members) word[id] = shared;
  }
  rewrite(code, [&](std::uint32_t, Inst& inst, std::vector<Inst>& before, std::vector<Inst>& after) {
    if (inst.move && inst.pdst[0] != kNoRegister) {
      const auto to = word.find(inst.pdst[0]);
      const auto from = word.find(inst.psrc[0].reg);
      if (to != word.end() && from != word.end() && to->second == from->second) return false;
    }
    const Inst around = inst;
    const auto fill = [&](RegisterId own, RegisterId temporary) {
      Inst get = internal_inst("$fill.pred");
      get.pdst[0] = temporary;
      get.src[0] = Value::of(word.at(own));
      get.where = around.where;
      before.push_back(get);
    };
    const bool own_guard = writes_own_guard(inst) && word.count(inst.guard.reg) == 0;
    std::vector<std::pair<RegisterId, RegisterId>> fetched;
    for_each_use(inst, [&](RegisterId& id) {
      if (word.count(id) == 0) return;
      for (const auto& [own, temporary] : fetched)
        if (own == id) {
          id = temporary;
          return;
        }
      const RegisterId temporary = spill_temporary(code, RegisterClass::kPredicate);
      fill(id, temporary);
      fetched.emplace_back(id, temporary);
      id = temporary;
    });
    for_each_def(inst, [&](RegisterId& id) {
      if (word.count(id) == 0) return;
      const RegisterId temporary = spill_temporary(code, RegisterClass::kPredicate);
      Inst put = internal_inst("$spill.pred");
      put.dst = Value::of(word.at(id));
      put.psrc[0] = {temporary, false};
      put.where = around.where;
      if (own_guard) {
        fill(id, temporary);
        code.registers[temporary].temporary = false;
      } else {
        put.guard = inst.guard;
      }
      after.push_back(put);
      id = temporary;
    });
    return true;
  });
}

}  // namespace castor::compiler
