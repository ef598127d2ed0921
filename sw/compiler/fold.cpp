#include "compiler/fold.h"

#include <algorithm>
#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <vector>

#include "castor/base/error.h"
#include "compiler/builder.h"

namespace castor::compiler {
namespace {

using isa::Kind;

/// Dominator relation of the basic blocks.
class Dominators {
 public:
  explicit Dominators(const Code& code) {
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
    const std::size_t n = code.blocks.size();
    Graph graph(n);
    for (std::uint32_t b = 0; b < n; ++b)
      for (const std::uint32_t s : code.blocks[b].successors) boost::add_edge(b, s, graph);
    std::vector<Graph::vertex_descriptor> parent(n, Graph::null_vertex());
    const auto map = boost::make_iterator_property_map(parent.begin(), boost::get(boost::vertex_index, graph));
    boost::lengauer_tarjan_dominator_tree(graph, 0, map);
    std::vector<std::vector<std::uint32_t>> children(n);
    for (std::uint32_t b = 1; b < n; ++b)
      if (parent[b] != Graph::null_vertex()) children[parent[b]].push_back(b);
    // A block dominates the blocks whose visit in the dominator tree begins and ends during its own visit.
    first_.assign(n, 0);
    last_.assign(n, 0);
    std::uint32_t clock = 0;
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{0, 0}};
    first_[0] = clock++;
    while (!path.empty()) {
      auto& [block, next] = path.back();
      if (next == children[block].size()) {
        last_[block] = clock++;
        path.pop_back();
        continue;
      }
      const std::uint32_t child = children[block][next++];
      first_[child] = clock++;
      path.emplace_back(child, 0);
    }
  }
  [[nodiscard]] bool dominates(std::uint32_t above, std::uint32_t below) const {
    return first_[above] <= first_[below] && last_[below] <= last_[above];
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> last_;
};

isa::LaneFn handler_of(std::string_view spelling) {
  isa::LookupError lookup;
  const isa::Match match = isa::InstructionTable::instance().find(spelling, lookup);
  CASTOR_ASSERT(match.valid(), "no instruction: %s", lookup.message.c_str());
  return match.row().select(match);
}

bool takes_address(const Inst& inst) {
  return (inst.kind == Kind::kMemory || inst.kind == Kind::kPrefetch) && inst.memory.address_bits == 64 &&
         inst.memory.space != isa::Space::kParam;
}

/// Folding of copies and address sums in one function.
class Folding {
 public:
  explicit Folding(Code& code)
      : code_(code), moves_{move_inst(RegisterClass::kSingle).handler, move_inst(RegisterClass::kPair).handler} {
    adds_ = {handler_of("add.s64"), handler_of("add.u64")};
  }

  void run() {
    find_definitions();
    for (Inst& inst : code_.insts) substitute(inst);
    find_sums();
    for (Inst& inst : code_.insts) fold(inst);
    while (drop()) {
    }
  }

 private:
  struct Sum {
    RegisterId base = kNoRegister;
    std::uint64_t offset = 0;
  };

  [[nodiscard]] const Inst* definition(RegisterId id) const {
    return definition_[id] == kNoIndex ? nullptr : &code_.insts[definition_[id]];
  }

  /// Finds the registers with a single unguarded definition that dominates all uses.
  void find_definitions() {
    const Dominators dominators(code_);
    definition_.assign(code_.registers.size(), kNoIndex);
    std::vector<std::uint32_t> block_of(code_.insts.size(), 0);
    std::vector<bool> refused(code_.registers.size(), false);
    for (RegisterId id = 0; id < code_.registers.size(); ++id)
      refused[id] = code_.registers[id].cls == RegisterClass::kPredicate || code_.registers[id].fixed >= 0;
    for (const RegisterId id : code_.entry_registers) refused[id] = true;
    for (std::uint32_t b = 0; b < code_.blocks.size(); ++b)
      for (std::uint32_t i = code_.blocks[b].first; i < code_.blocks[b].last; ++i) {
        const Inst& inst = code_.insts[i];
        block_of[i] = b;
        for_each_def(inst, [&](RegisterId id) {
          if (definition_[id] != kNoIndex || inst.guard.valid()) refused[id] = true;
          definition_[id] = i;
        });
        if (inst.call == kNoIndex) continue;
        for (const RegisterId id : code_.calls[inst.call].results) refused[id] = true;
      }
    for (std::uint32_t i = 0; i < code_.insts.size(); ++i)
      for_each_use(code_.insts[i], [&](RegisterId id) {
        const std::uint32_t made = definition_[id];
        if (made == kNoIndex) return;
        const bool before =
            block_of[made] == block_of[i] ? made < i : dominators.dominates(block_of[made], block_of[i]);
        if (!before) refused[id] = true;
      });
    for (RegisterId id = 0; id < code_.registers.size(); ++id)
      if (refused[id]) definition_[id] = kNoIndex;
  }

  [[nodiscard]] bool is_constant(const Inst& inst) const {
    return inst.kind == Kind::kLane && inst.src[0].is_constant() && inst.src[1].none() && inst.dst.is_register() &&
           inst.handler == moves_[units(code_.registers[inst.dst.reg].cls) - 1];
  }

  /// Returns the origin of a register's value: another register, or a constant.
  [[nodiscard]] Value origin(RegisterId id) const {
    for (;;) {
      const Inst* made = definition(id);
      if (made == nullptr) return Value::of(id);
      if (is_constant(*made)) return made->src[0];
      if (!made->move || !made->src[0].is_register() || definition(made->src[0].reg) == nullptr) return Value::of(id);
      id = made->src[0].reg;
    }
  }

  void substitute(Inst& inst) const {
    for (std::size_t s = 0; s < inst.src.size(); ++s) {
      Value& source = inst.src[s];
      if (!source.is_register()) continue;
      const Value from = origin(source.reg);
      if (from.is_register()) {
        source = from;
        continue;
      }
      const bool wide = code_.registers[source.reg].cls == RegisterClass::kPair;
      if (from.wide != wide) continue;
      if (inst.kind == Kind::kLane) {
        source = from;
        if (inst.move) inst.move = false;
      } else if (takes_address(inst) && s == 0 &&
                 (from.base == LocalBase::kNone || inst.imm_base == LocalBase::kNone)) {
        inst.imm += from.bits;
        if (from.base != LocalBase::kNone) inst.imm_base = from.base;
        source = {};
      }
    }
  }

  /// Returns the operands of an instruction that adds a constant to a register; an empty Sum for any other instruction.
  [[nodiscard]] Sum sum_of(const Inst& inst) const {
    if (inst.kind != Kind::kLane || (inst.handler != adds_[0] && inst.handler != adds_[1])) return {};
    const unsigned place = inst.src[0].is_register() ? 0 : 1;
    const Value& base = inst.src[place];
    const Value& offset = inst.src[1 - place];
    if (!base.is_register() || definition(base.reg) == nullptr) return {};
    if (!offset.is_constant() || offset.base != LocalBase::kNone) return {};
    return {base.reg, offset.bits};
  }

  [[nodiscard]] static bool encodable(std::uint64_t offset) {
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 23;
    return offset + kHalf < 2 * kHalf;
  }

  /// Finds the sums that are used only as addresses or inside other sums.
  void find_sums() {
    sums_.assign(code_.registers.size(), {});
    for (RegisterId id = 0; id < code_.registers.size(); ++id) {
      const Inst* made = definition(id);
      if (made != nullptr && made->dst.is_register() && made->dst.reg == id) sums_[id] = sum_of(*made);
    }
    for (const Inst& inst : code_.insts) {
      const bool adds = sum_of(inst).base != kNoRegister;
      const RegisterId address = takes_address(inst) && inst.src[0].is_register() ? inst.src[0].reg : kNoRegister;
      // A second use by the same instruction is not an address: `st [a], a`.
      unsigned times = 0;
      for_each_use(inst, [&](RegisterId id) {
        if (adds) return;
        if (id == address && times++ == 0) return;
        sums_[id] = {};
      });
    }
  }

  [[nodiscard]] Sum root(RegisterId id) const {
    Sum whole{id, 0};
    while (sums_[whole.base].base != kNoRegister) {
      const Sum& part = sums_[whole.base];
      if (!encodable(whole.offset + part.offset)) break;
      whole = {part.base, whole.offset + part.offset};
    }
    return whole;
  }

  void fold(Inst& inst) const {
    if (takes_address(inst) && inst.src[0].is_register()) {
      const Sum whole = root(inst.src[0].reg);
      if (!encodable(inst.imm + whole.offset)) return;
      inst.src[0] = Value::of(whole.base);
      inst.imm += whole.offset;
    } else if (const Sum own = sum_of(inst); own.base != kNoRegister) {
      const Sum whole = root(own.base);
      if (whole.base == own.base || !encodable(own.offset + whole.offset)) return;
      inst.src[0] = Value::of(whole.base);
      inst.src[1] = Value::constant(own.offset + whole.offset, true);
    }
  }

  /// Removes instructions whose results are no longer used; returns true if any was removed.
  bool drop() {
    std::vector<bool> used(code_.registers.size(), false);
    for (const Inst& inst : code_.insts) for_each_use(inst, [&](RegisterId id) { used[id] = true; });
    const auto useless = [&](const Inst& inst) {
      return inst.dst.is_register() && !used[inst.dst.reg] && definition(inst.dst.reg) != nullptr &&
             (inst.move || is_constant(inst) || sum_of(inst).base != kNoRegister);
    };
    std::vector<Inst> kept;
    kept.reserve(code_.insts.size());
    std::vector<RegisterId> gone;
    std::vector<std::pair<RegisterId, std::uint32_t>> moved;
    for (Block& block : code_.blocks) {
      const auto first = static_cast<std::uint32_t>(kept.size());
      for (std::uint32_t i = block.first; i < block.last; ++i) {
        const Inst& inst = code_.insts[i];
        if (useless(inst)) {
          gone.push_back(inst.dst.reg);
          continue;
        }
        for_each_def(inst, [&](RegisterId id) {
          if (definition_[id] != kNoIndex) moved.emplace_back(id, static_cast<std::uint32_t>(kept.size()));
        });
        kept.push_back(inst);
      }
      block.first = first;
      block.last = static_cast<std::uint32_t>(kept.size());
    }
    const bool any = kept.size() != code_.insts.size();
    code_.insts = std::move(kept);
    for (const auto& [id, place] : moved) definition_[id] = place;
    for (const RegisterId id : gone) definition_[id] = kNoIndex;
    return any;
  }

  Code& code_;
  std::array<isa::LaneFn, 2> moves_;
  std::array<isa::LaneFn, 2> adds_{};
  std::vector<std::uint32_t> definition_;  // instruction that defines the register; kNoIndex for a register that is not
                                           // folded
  std::vector<Sum> sums_;
};

}  // namespace

void fold_addresses(Code& code) { Folding(code).run(); }

}  // namespace castor::compiler
