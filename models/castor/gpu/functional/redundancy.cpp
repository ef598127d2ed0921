#include "castor/gpu/functional/redundancy.h"

#include <algorithm>
#include <cstring>

namespace castor::gpu::functional {
namespace {

using isa::Kind;
using isa::LaneMask;
using isa::Record;
using Class = RedundancyCounts::Class;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32U);
}

std::uint64_t hash_of(const std::byte* bytes, std::size_t count) {
  std::uint64_t hash = count;
  for (std::size_t i = 0; i < count; i += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + i, sizeof word);
    hash = mixed(hash, word);
  }
  return hash;
}

bool is_load(const Record& record) {
  return record.kind == Kind::kMemory && record.memory.kind == isa::MemoryKind::kLoad;
}

/// Returns whether equal addresses of the load are the same memory; generic addresses are checked separately.
bool is_plain(const Record& record) {
  return record.memory.ordering == isa::Ordering::kWeak && record.memory.space != isa::Space::kLocal &&
         record.memory.cache != isa::CacheOp::kCv;
}

bool is_local(const isa::Access& access, unsigned lanes) {
  return access.op.space == isa::Space::kGeneric &&
         std::any_of(access.address, access.address + lanes,
                     [](std::uint64_t address) { return address - isa::kLocalWindow < isa::kWindowSize; });
}

Class class_of(const Record& record) {
  if (record.kind == Kind::kLane) return Class::kLane;
  if (!is_load(record)) return Class::kOther;
  if (record.memory.space == isa::Space::kShared) return Class::kLoadShared;
  const bool global = record.memory.space == isa::Space::kGlobal || record.memory.space == isa::Space::kGeneric;
  return global ? Class::kLoadGlobal : Class::kOther;
}

}  // namespace

void RedundancyCounts::add(const RedundancyCounts& other) {
  instructions += other.instructions;
  uniform += other.uniform;
  affine += other.affine;
  unstructured += other.unstructured;
  removable += other.removable;
  grid += other.grid;
  warp += other.warp;
  for (unsigned i = 0; i < kClasses; ++i) {
    all[i] += other.all[i];
    block[i] += other.block[i];
  }
}

void GridRedundancy::add(std::uint64_t instance, std::uint64_t sources) {
  const auto [found, first] = instances_.try_emplace(instance);
  Seen& seen = found->second;
  if (first) seen.sources = sources;
  if (seen.sources != sources) seen.differ = true;
  ++seen.blocks;
}

std::uint64_t GridRedundancy::redundant(std::uint64_t thread_blocks) const {
  return static_cast<std::uint64_t>(std::count_if(instances_.begin(), instances_.end(), [&](const auto& entry) {
    return !entry.second.differ && entry.second.blocks == thread_blocks;
  }));
}

void RedundancyStudy::start(const Launch& launch, unsigned warps, unsigned lanes) {
  program_ = launch.program;
  lanes_ = lanes;
  warps_ = warps;
  all_ = lanes == 64 ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1;
  executed_.assign(warps * program_->code.size(), 0);
  instances_.assign(program_->code.size(), {});
  counts_ = {};
}

template <class Element>
void RedundancyStudy::take(const std::byte* row) {
  Element value[isa::kMaxLanes];
  std::memcpy(value, row, lanes_ * sizeof(Element));
  const auto step = static_cast<Element>(value[1] - value[0]);
  bool affine = true;
  for (unsigned i = 2; i < lanes_; ++i) affine = affine && static_cast<Element>(value[i] - value[i - 1]) == step;
  const Shape shape = !affine ? Shape::kUnstructured : step == 0 ? Shape::kUniform : Shape::kAffine;
  current_.shape = std::max(current_.shape, shape);
  current_.sources = mixed(current_.sources, hash_of(row, lanes_ * sizeof(Element)));
}

void RedundancyStudy::take_rows(const std::byte* rows, unsigned registers) {
  if (registers == 2) return take<std::uint64_t>(rows);
  for (unsigned i = 0; i < registers; ++i) take<std::uint32_t>(rows + i * lanes_ * sizeof(std::uint32_t));
}

void RedundancyStudy::take_mask(LaneMask mask) {
  mask &= all_;
  if (mask != 0 && mask != all_) current_.shape = Shape::kUnstructured;
  current_.sources = mixed(current_.sources, mask);
}

void RedundancyStudy::before(unsigned warp, std::uint32_t pc, const isa::RegisterView& view, LaneMask mask) {
  const Record& record = program_->code[pc];
  const isa::RegisterUse& use = program_->uses[pc];
  current_ = {};
  current_.occurrence = executed_[warp * program_->code.size() + pc]++;
  ++counts_.instructions;
  ++counts_.all[class_of(record)];
  if (mask != all_) return;
  current_.load = is_load(record);
  current_.candidate =
      current_.load ? is_plain(record) : record.kind == Kind::kLane && use.result != isa::ResultOf::kAnything;
  if (!current_.candidate) return;
  if (current_.load) {
    isa::address(record, view, mask, access_);
    current_.candidate = !is_local(access_, lanes_);
    take<std::uint64_t>(reinterpret_cast<const std::byte*>(access_.address));
  } else {
    for (unsigned i = 0; i < 4; ++i) {
      if (use.src[i] != 0) take_rows(view.src(record.src[i]), use.src[i]);
    }
  }
  for (unsigned p = 0; p < 8; ++p) {
    if ((use.predicates_read >> p & 1U) != 0) take_mask(view.predicates[p]);
  }
}

void RedundancyStudy::after(unsigned /*warp*/, std::uint32_t pc, const isa::RegisterView& view) {
  if (!current_.candidate) return;
  const Record& record = program_->code[pc];
  const isa::RegisterUse& use = program_->uses[pc];
  if (use.result == isa::ResultOf::kSpecialRegister) take_rows(view.dst(record.dst), use.dst);
  const std::uint64_t loaded = current_.load ? hash_of(view.dst(record.dst), use.dst * view.row_bytes()) : 0;
  if (current_.shape == Shape::kUniform) ++counts_.warp;
  auto& instances = instances_[pc];
  if (current_.occurrence >= instances.size()) instances.resize(current_.occurrence + 1);
  Instance& instance = instances[current_.occurrence];
  if (instance.seen++ == 0) {
    instance.sources = current_.sources;
    instance.loaded = loaded;
    instance.shape = current_.shape;
  } else if (instance.sources != current_.sources || instance.loaded != loaded) {
    instance.equal = false;
  }
}

RedundancyCounts RedundancyStudy::finish(GridRedundancy& grid) {
  for (std::uint32_t pc = 0; pc < instances_.size(); ++pc) {
    const Class kind = class_of(program_->code[pc]);
    for (std::size_t k = 0; k < instances_[pc].size(); ++k) {
      const Instance& instance = instances_[pc][k];
      if (instance.seen != warps_ || !instance.equal) continue;
      std::uint64_t& shape = instance.shape == Shape::kUniform  ? counts_.uniform
                             : instance.shape == Shape::kAffine ? counts_.affine
                                                                : counts_.unstructured;
      shape += warps_;
      counts_.block[kind] += warps_;
      counts_.removable += warps_ - 1;
      grid.add(k << 32U | pc, mixed(instance.sources, instance.loaded));
    }
  }
  return counts_;
}

}  // namespace castor::gpu::functional
