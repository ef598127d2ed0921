#include "workloads/laperm/footprint.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "castor/base/error.h"

namespace castor::workloads::laperm {
namespace {

using Blocks = std::vector<std::uint32_t>;           // memory blocks of 128 bytes, ascending
using Tb = std::pair<std::uint32_t, std::uint32_t>;  // grid, number of the thread block in the grid

constexpr std::uint64_t kBlock = 128;
/// Size of the record in front of a parameter buffer, and upper bound of a buffer's size, in bytes.
constexpr std::uint64_t kRecord = 64, kBuffer = 256;

/// Returns the grid part of a key: bit 16 = launched by the device, bits 15 to 0 = low bits of the grid's number.
std::uint32_t grid_of(std::uint64_t gridid) {
  return static_cast<std::uint32_t>((gridid >> 48U) << 16U | (gridid & 0xffffU));
}

std::size_t shared(const Blocks& a, const Blocks& b) {
  std::size_t out = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) ++out;
    const bool first = *i <= *j, second = *j <= *i;
    if (first) ++i;
    if (second) ++j;
  }
  return out;
}

Blocks merged(const std::vector<const Blocks*>& parts) {
  Blocks out;
  for (const Blocks* part : parts) out.insert(out.end(), part->begin(), part->end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

struct Mean {
  double sum = 0;
  std::uint64_t count = 0;
  void add(double value) { sum += value, ++count; }
  [[nodiscard]] double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

double quotient(std::size_t of, std::size_t over) { return static_cast<double>(of) / static_cast<double>(over); }

/// Returns the launched grids by launching thread block. The k-th thread block that obtained a buffer launched the k-th
/// grid that received the same buffer.
std::map<Tb, std::vector<std::uint32_t>> launches(const Footprint& footprint) {
  std::map<std::uint64_t, std::vector<Tb>> parents;
  std::map<std::uint64_t, std::set<std::uint32_t>> children;
  for (const Footprint::Note& one : footprint.notes) {
    if (one.child)
      children[one.buffer].insert(grid_of(one.grid));
    else
      parents[one.buffer].emplace_back(grid_of(one.grid), static_cast<std::uint32_t>(one.block));
  }
  std::map<Tb, std::vector<std::uint32_t>> out;
  for (const auto& [buffer, grids] : children) {
    const std::vector<Tb>& own = parents[buffer];
    if (own.size() != grids.size()) throw base::Error("a parameter buffer was given to more or fewer than got it");
    std::size_t k = 0;
    for (const std::uint32_t grid : grids) out[own[k++]].push_back(grid);
  }
  return out;
}

/// Adds to `out` the mean over children of |blocks shared with siblings| / |blocks touched by siblings|. Returns false
/// for an only child.
bool siblings(const std::vector<const Blocks*>& children, Mean& out) {
  std::map<std::uint32_t, unsigned> touched;  // number of children that touch each block
  for (const Blocks* child : children) {
    for (const std::uint32_t block : *child) ++touched[block];
  }
  Mean mean;
  for (const Blocks* child : children) {
    std::size_t alone = 0;
    for (const std::uint32_t block : *child) alone += touched.at(block) == 1 ? 1 : 0;
    if (touched.size() > alone) mean.add(quotient(child->size() - alone, touched.size() - alone));
  }
  if (children.size() < 2 || mean.count == 0) return false;
  out.add(mean.value());
  return true;
}

}  // namespace

Footprint read_footprint(const std::string& bytes) {
  std::size_t at = 0;
  const auto next = [&] {
    std::uint64_t out = 0;
    if (at + sizeof out > bytes.size()) throw base::Error("a footprint is cut off");
    std::memcpy(&out, bytes.data() + at, sizeof out);
    at += sizeof out;
    return out;
  };
  Footprint out;
  const std::uint64_t touched = next(), notes = next();
  for (std::uint64_t i = 0; i < touched; ++i) out.touched.push_back(next());
  for (std::uint64_t i = 0; i < notes; ++i) {
    Footprint::Note note;
    note.grid = next();
    note.block = next();
    note.buffer = next();
    note.child = next() != 0;
    out.notes.push_back(note);
  }
  return out;
}

Sharing sharing(const Footprint& footprint) {
  std::set<std::uint32_t> buffers;
  for (const Footprint::Note& note : footprint.notes) {
    for (std::uint64_t block = (note.buffer - kRecord) / kBlock; block <= (note.buffer + kBuffer - 1) / kBlock; ++block)
      buffers.insert(static_cast<std::uint32_t>(block));
  }
  std::map<std::uint32_t, std::map<std::uint32_t, Blocks>> grids;
  for (const std::uint64_t key : footprint.touched) {
    const auto block = static_cast<std::uint32_t>(key & 0x7fffffffU);
    Blocks& own = grids[static_cast<std::uint32_t>(key >> 47U)][static_cast<std::uint32_t>(key >> 31U) & 0xffffU];
    if (buffers.count(block) == 0) own.push_back(block);
  }
  for (auto& [grid, tbs] : grids) {
    for (auto& [tb, blocks] : tbs) std::sort(blocks.begin(), blocks.end());
  }
  static const Blocks kNone;
  const auto of = [&](std::uint32_t grid, std::uint32_t tb) -> const Blocks& {
    const auto found = grids.find(grid);
    if (found == grids.end() || found->second.count(tb) == 0) return kNone;
    return found->second.at(tb);
  };
  Sharing out;
  Mean parent_child, child_sibling, parent_parent, child_blocks, parent_blocks;
  std::set<std::uint32_t> of_parents;
  for (const auto& [parent, launched] : launches(footprint)) {
    of_parents.insert(parent.first);
    std::vector<const Blocks*> children;
    for (const std::uint32_t grid : launched) {
      for (const auto& [tb, blocks] : grids[grid]) children.push_back(&blocks);
    }
    const Blocks all = merged(children);
    if (all.empty()) continue;
    const Blocks& own = of(parent.first, parent.second);
    parent_child.add(quotient(shared(own, all), all.size()));
    parent_blocks.add(static_cast<double>(own.size()));
    for (const Blocks* child : children) child_blocks.add(static_cast<double>(child->size()));
    if (siblings(children, child_sibling)) ++out.families;
    out.children += children.size();
  }
  for (const std::uint32_t grid : of_parents) {
    for (const auto& [tb, blocks] : grids[grid]) {
      const Blocks& next = of(grid, tb + 1);
      if (!next.empty()) parent_parent.add(quotient(shared(blocks, next), next.size()));
    }
  }
  out.parents = parent_child.count;
  out.neighbours = parent_parent.count;
  out.parent_child = parent_child.value();
  out.child_sibling = child_sibling.value();
  out.parent_parent = parent_parent.value();
  out.child_blocks = child_blocks.value();
  out.parent_blocks = parent_blocks.value();
  return out;
}

}  // namespace castor::workloads::laperm
