#include "compiler/emit.h"

#include <algorithm>
#include <map>

#include "castor/base/error.h"
#include "castor/base/words.h"

namespace castor::compiler {
namespace {

using isa::Kind;
using isa::OperandIndex;
using isa::Program;
using isa::Record;

// Limit of CUDA 12.1 and later for sm_70 and newer; earlier CUDA versions allowed 4096 bytes.
constexpr std::uint64_t kMostParameterBytes = 32764;
constexpr std::uint64_t kEndless = std::uint64_t{1} << 40;  // frame size beyond every limit, small enough that no sum
                                                            // overflows

/// Writer of one program's records.
class Emitter {
 public:
  Emitter(const Linked& linked, const std::vector<Code>& codes) : linked_(linked), codes_(codes) {}

  Program run() {
    describe_kernel();
    lay_out_frames();
    lay_out_code();
    for (std::uint32_t f = 0; f < codes_.size(); ++f) {
      function_ = f;
      const Code& code = codes_[f];
      table_base_ = static_cast<std::uint32_t>(program_.branch_tables.size());
      for (const auto& table : code.tables) {
        std::vector<std::uint32_t> targets;
        targets.reserve(table.size());
        for (const std::uint32_t block : table)
          targets.push_back(block == kNoIndex ? isa::kNoPc : block_start_[f][block]);
        program_.branch_tables.push_back(std::move(targets));
      }
      for (std::uint32_t b = 0; b < code.blocks.size(); ++b)
        for (std::uint32_t i = code.blocks[b].first; i < code.blocks[b].last; ++i)
          if (!pointless(code, code.insts[i])) emit(code, code.blocks[b], code.insts[i]);
    }
    finish_figures();
    return std::move(program_);
  }

 private:
  [[nodiscard]] static bool pointless(const Code& code, const Inst& inst) {
    if (!inst.move) return false;
    if (inst.dst.is_register()) return code.physical[inst.dst.reg] == code.physical[inst.src[0].reg];
    return code.physical[inst.pdst[0]] == code.physical[inst.psrc[0].reg] && !inst.psrc[0].negated;
  }

  void describe_kernel() {
    const isa::Function& kernel = *linked_.functions[0].function;
    program_.kernel = kernel.name;
    program_.module = linked_.module->file;
    program_.source_files = linked_.module->source_files;
    std::uint64_t end = 0;
    for (const isa::Variable& v : kernel.parameters) {
      const std::uint64_t align = std::max<std::uint64_t>(v.align, 1);
      end = align_up(end, align);
      program_.parameters.push_back({static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(v.size),
                                     static_cast<std::uint32_t>(align), v.name});
      end += std::min(v.size, kEndless);
    }
    if (end > kMostParameterBytes)
      fail(*linked_.module, kernel.parameters.front().where,
           "the parameters of kernel '" + base::printable(base::readable_name(kernel.name), 200) + "' take " +
               std::to_string(end) + " bytes; at most " + std::to_string(kMostParameterBytes) + " are supported",
           "pass a pointer to a structure in device memory");
    program_.parameter_bytes = static_cast<std::uint32_t>(end);
    if (kernel.max_threads[0] != 0)
      program_.max_threads =
          kernel.max_threads[0] * std::max(kernel.max_threads[1], 1U) * std::max(kernel.max_threads[2], 1U);
    for (unsigned d = 0; d < 3; ++d) program_.required_threads[d] = kernel.required_threads[d];
    program_.min_blocks = kernel.min_blocks;
    program_.shared_bytes = linked_.shared_bytes;
    program_.uses_dynamic_shared = linked_.dynamic_shared;
    program_.reach.launches = linked_.launches;
    program_.named_kernels = linked_.named_kernels;
    program_.code_values = linked_.options->code_values;
  }

  /// Lays out the frames by call depth: a frame begins where the deepest of its callers' frames ends. Functions in a
  /// call cycle get separate, consecutive frames.
  void lay_out_frames() {
    const std::size_t n = codes_.size();
    frame_base_.assign(n, 0);
    std::vector<std::uint64_t> begin(n, 0);
    std::uint64_t end_of_all = 0;
    for (const Code& code : codes_)
      if (code.on_stack) stack_align_ = std::max(stack_align_, code.frame_align);
    for (std::size_t i = n; i > 0;) {
      // Functions of one component are adjacent in the order.
      const std::uint32_t component = linked_.functions[linked_.bottom_up[i - 1]].component;
      std::size_t low = i;
      std::uint64_t start = 0;
      while (low > 0 && linked_.functions[linked_.bottom_up[low - 1]].component == component) {
        --low;
        start = std::max(start, begin[linked_.bottom_up[low]]);
      }
      std::uint64_t end = start;
      for (std::size_t k = low; k < i; ++k) {
        const std::uint32_t f = linked_.bottom_up[k];
        if (codes_[f].on_stack) continue;
        end = align_up(end, std::max<std::uint64_t>(codes_[f].frame_align, 16));
        frame_base_[f] = end;
        end += codes_[f].frame_bytes;
      }
      for (std::size_t k = low; k < i; ++k)
        for (const std::uint32_t callee : linked_.functions[linked_.bottom_up[k]].callees)
          begin[callee] = std::max(begin[callee], end);
      end_of_all = std::max(end_of_all, end);
      i = low;
    }
    if (linked_.area_bytes != 0) {
      area_base_ = align_up(end_of_all, linked_.area_align);
      end_of_all = area_base_ + linked_.area_bytes;
    }
    if (linked_.uses_stack) {
      stack_base_ = align_up(end_of_all, stack_align_);
      program_.stack_bytes = linked_.options->stack_bytes;
      end_of_all = stack_base_ + program_.stack_bytes;
    }
    for (const LinkedFunction& f : linked_.functions)
      program_.may_recurse = program_.may_recurse || (f.cyclic && !f.on_stack);
    program_.local_bytes = static_cast<std::uint32_t>(align_up(end_of_all, 4));
    for (const Code& code : codes_) program_.spill_bytes += static_cast<std::uint32_t>(code.spill_bytes);
  }

  void lay_out_code() {
    std::uint32_t next = 0;
    block_start_.resize(codes_.size());
    for (std::uint32_t f = 0; f < codes_.size(); ++f) {
      const Code& code = codes_[f];
      const std::uint32_t first = next;
      for (const Block& block : code.blocks) {
        block_start_[f].push_back(next);
        for (std::uint32_t i = block.first; i < block.last; ++i)
          if (!pointless(code, code.insts[i])) ++next;
      }
      program_.functions.push_back(
          {code.function->name, first, next - first, static_cast<std::uint32_t>(code.on_stack ? frame_size(code) : 0)});
    }
    program_.code.reserve(next);
    program_.uses.reserve(next);
    program_.lines.reserve(next);
    program_.spellings.reserve(next);
    for (const std::uint32_t f : linked_.targets) {
      const isa::Function& function = *codes_[f].function;
      if (linked_.addresses_known)
        program_.functions_by_value[linked_.address(function.name, function.where)] = program_.functions[f].first;
    }
  }

  /// Returns the bytes that a call of a function with a frame on the stack takes. The minimum is 16, for the return
  /// address that hardware would store: this bounds endless recursion.
  [[nodiscard]] std::uint64_t frame_size(const Code& code) const {
    return std::max(align_up(code.frame_bytes, stack_align_), stack_align_);
  }

  [[nodiscard]] std::uint64_t local_base(LocalBase base) const {
    switch (base) {
      case LocalBase::kFrame:
        // For a frame on the call stack, the stack register points to the frame's end.
        return codes_[function_].on_stack ? 0 - frame_size(codes_[function_]) : frame_base_[function_];
      case LocalBase::kArea:
        return area_base_;
      case LocalBase::kStack:
        return stack_base_;
      case LocalBase::kSize:
        return frame_size(codes_[function_]);
      case LocalBase::kNone:
        break;
    }
    return 0;
  }

  /// Returns the instruction with its local addresses filled in, and with the stack register as base of accesses to a
  /// stack frame.
  [[nodiscard]] Inst placed(const Code& code, Inst inst) const {
    inst.imm += local_base(inst.imm_base);
    if (code.on_stack && inst.imm_base == LocalBase::kFrame && inst.src[0].none()) {
      inst.src[0] = Value::of(code.stack_pointer);
      inst.memory.address_bits = 32;
    }
    inst.imm_base = LocalBase::kNone;
    for (Value& value : inst.src) {
      // The disassembly shows addresses of fixed frames relative to the frame, so these addresses stay unchanged here.
      if (!value.is_constant() || value.base == LocalBase::kNone || (!code.on_stack && value.base != LocalBase::kStack))
        continue;
      value = Value::constant(value.bits + local_base(value.base), value.wide);
    }
    return inst;
  }

  OperandIndex constant(const Value& value) {
    const std::uint64_t bits = value.bits + local_base(value.base);
    const auto [found, added] = constants_.try_emplace({bits, value.wide}, 0);
    if (added) {
      found->second = program_.constant_rows;
      program_.constants.push_back({bits, value.wide});
      program_.constant_row.push_back(program_.constant_rows);
      program_.constant_rows += value.wide ? 2 : 1;
      if (program_.constant_rows > 0x7000)
        fail(*linked_.module, linked_.functions[0].function->where,
             "'" + base::printable(base::readable_name(program_.kernel), 200) +
                 "' has too many different constants (more than 28,672 words)",
             "load them from memory");
    }
    return static_cast<OperandIndex>(isa::kConstantOperand + found->second);
  }

  OperandIndex operand(const Code& code, const Value& value) {
    if (value.none()) return isa::kNoOperand;
    if (value.is_constant()) return constant(value);
    return physical(code, value.reg);
  }
  static OperandIndex physical(const Code& code, RegisterId id) {
    CASTOR_ASSERT(code.physical[id] >= 0, "virtual register %u has no physical register", id);
    return static_cast<OperandIndex>(code.physical[id]);
  }

  void emit(const Code& code, const Block& block, const Inst& unplaced) {
    const Inst inst = placed(code, unplaced);
    Record record;
    isa::RegisterUse use;
    record.kind = inst.kind;
    record.timing = inst.timing;
    record.imm = inst.imm;
    if (inst.kind == Kind::kLane && inst.match.valid()) use.result = inst.match.row().result;
    if (inst.uniform) record.flags |= isa::kFlagUniform;
    const auto width = [&](RegisterId id) { return static_cast<std::uint8_t>(units(code.registers[id].cls)); };
    if (inst.dst.is_register()) {
      record.dst = physical(code, inst.dst.reg);
      use.dst = width(inst.dst.reg);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      record.src[i] = operand(code, inst.src[i]);
      if (inst.src[i].is_register()) use.src[i] = width(inst.src[i].reg);
    }
    if (inst.vector != VectorOperand::kNone) {
      const auto count = static_cast<std::uint8_t>(inst.element_count * width(inst.elements[0]));
      if (inst.vector == VectorOperand::kDestination) {
        record.dst = physical(code, inst.elements[0]);
        use.dst = count;
      } else {
        record.src[1] = physical(code, inst.elements[0]);
        use.src[1] = count;
      }
    }
    record.predicate_dst = 0;
    for (unsigned i = 0; i < 2; ++i) {
      unsigned nibble = isa::kNoPredicate;
      if (inst.pdst[i] != kNoRegister) {
        nibble = physical(code, inst.pdst[i]);
        use.predicates_written = static_cast<std::uint8_t>(use.predicates_written | (1U << nibble));
      }
      record.predicate_dst = static_cast<std::uint8_t>(record.predicate_dst | (nibble << (4 * i)));
      if (!inst.psrc[i].valid()) continue;
      const unsigned index = physical(code, inst.psrc[i].reg);
      use.predicates_read = static_cast<std::uint8_t>(use.predicates_read | (1U << index));
      record.predicate_src =
          static_cast<std::uint8_t>(record.predicate_src | ((index | (inst.psrc[i].negated ? 8U : 0U)) << (4 * i)));
    }
    if (inst.guard.valid()) {
      const unsigned index = physical(code, inst.guard.reg);
      use.predicates_read = static_cast<std::uint8_t>(use.predicates_read | (1U << index));
      record.guard = static_cast<std::uint8_t>(index | (inst.guard.negated ? 8U : 0U));
    }
    fill_union(code, block, inst, record);
    if (inst.call != kNoIndex && calls_onto_stack(inst, code)) {
      record.src[1] = kStackRegister;
      use.src[1] = 1;
    }
    if (inst.kind == Kind::kBarrier && inst.barrier.kind != isa::BarrierKind::kWarp) {
      if (inst.src[0].is_constant())
        program_.barriers =
            std::max(program_.barriers, static_cast<std::uint32_t>(std::min<std::uint64_t>(inst.src[0].bits, 15)) + 1);
      else
        program_.barriers = inst.src[0].is_register() ? 16 : std::max(program_.barriers, 1U);
    }
    if (inst.kind == Kind::kSync) program_.sync.ops |= isa::sync_bit(static_cast<isa::SyncOp>(inst.imm));
    const bool special = inst.kind == Kind::kLane && use.result == isa::ResultOf::kSpecialRegister;
    if (special && isa::names_grid_workspace(static_cast<isa::SpecialRegister>(record.imm)))
      program_.reach.grid_barrier = true;
    program_.spellings.push_back(spell(linked_, code, inst, record));
    program_.code.push_back(record);
    program_.uses.push_back(use);
    program_.lines.push_back(inst.where != nullptr ? *inst.where : isa::SourceLine{});
  }

  /// True if the machine must check the stack limit at this call. An indirect call may reach any function, whatever its
  /// prototype.
  [[nodiscard]] bool calls_onto_stack(const Inst& inst, const Code& code) const {
    if (inst.kind == Kind::kCallIndirect) return linked_.uses_stack;
    return linked_.functions[code.calls[inst.call].callees[0]].on_stack;
  }

  void fill_union(const Code& code, const Block& block, const Inst& inst, Record& record) const {
    const auto start = [&](std::uint32_t b) { return b == kNoIndex ? isa::kNoPc : block_start_[function_][b]; };
    switch (inst.kind) {
      case Kind::kMemory:
      case Kind::kPrefetch:
        record.memory = inst.memory;
        break;
      case Kind::kBarrier:
        record.barrier = inst.barrier;
        break;
      case Kind::kBranch:
        record.branch = {start(inst.target), inst.guard.valid() ? start(block.post_dominator) : isa::kNoPc};
        break;
      case Kind::kBranchIndirect:
        record.branch = {isa::kNoPc, start(block.post_dominator)};
        record.imm = table_base_ + inst.target;
        break;
      case Kind::kCall:
        record.branch = {program_.functions[code.calls[inst.call].callees[0]].first, isa::kNoPc};
        break;
      case Kind::kCallIndirect:
        record.branch = {isa::kNoPc, isa::kNoPc};
        break;
      default:
        record.handler = inst.handler;
        break;
    }
  }

  void finish_figures() {
    PhysicalSet all;
    for (const Code& code : codes_) all |= code.used;
    for (unsigned r = 0; r < kMaxRegisters; ++r)
      if (all.registers[0][r] || all.registers[1][r]) program_.registers = r + 1;
    program_.registers = std::max(program_.registers, 1U);
    for (unsigned p = 0; p < kPredicateRegisters; ++p)
      if ((all.predicates >> p & 1) != 0) program_.predicates = p + 1;
  }

  const Linked& linked_;
  const std::vector<Code>& codes_;
  Program program_;
  std::uint32_t function_ = 0;
  std::uint32_t table_base_ = 0;
  std::uint64_t area_base_ = 0;
  std::uint64_t stack_base_ = 0;
  std::uint64_t stack_align_ = 16;
  std::vector<std::uint64_t> frame_base_;
  std::vector<std::vector<std::uint32_t>> block_start_;
  std::map<std::pair<std::uint64_t, bool>, std::uint32_t> constants_;
};

}  // namespace

Program emit(const Linked& linked, const std::vector<Code>& codes) { return Emitter(linked, codes).run(); }

}  // namespace castor::compiler
