#pragma once

#include <map>
#include <unordered_map>

#include "unit/tb_swap/reference.h"

/// Storage of an SM and of its memory as tokens: what a cell of 128 bytes holds is one number that names its owner.
namespace castor::tb_swap::reference {

using Token = U64;

/// What a cell holds that has been moved away.
inline constexpr Token kPoison = ~Token{0};

/// Cell of a thread block: a SIMT line, a register of a warp, or a line of shared memory.
struct Cell {
  AccessType type = AccessType::kSimt;  ///< kReadOnly is not used
  unsigned warp = 0, reg = 0, line = 0;
};

/// Returns the cell of a thread block that an access moves.
[[nodiscard]] inline Cell cell_of(const Access& access) {
  return {access.type == AccessType::kReadOnly ? AccessType::kShared : access.type, access.warp, access.reg,
          access.line};
}

/// Returns what a thread block has written into a cell; `owner` is a number of its own for each stay in a context.
[[nodiscard]] inline Token token(U64 owner, const Cell& cell) {
  return owner << 32U | static_cast<U64>(cell.type) << 28U | U64{cell.warp} << 20U | U64{cell.reg} << 12U | cell.line;
}

/// Returns what a line of memory holds that has not been written.
[[nodiscard]] inline Token memory_token(U64 address) { return U64{1} << 63U | address; }

/// Cells of a home, or of a context: each holds the token of its owner until it is written.
class Home {
 public:
  /// A thread block has written all cells.
  void fill(U64 owner) {
    owner_ = owner;
    written_.clear();
  }
  [[nodiscard]] Token read(const Cell& cell) const {
    const auto found = written_.find(key(cell));
    return found != written_.end() ? found->second : owner_ == 0 ? kPoison : token(owner_, cell);
  }
  void write(const Cell& cell, Token value) { written_[key(cell)] = value; }

 private:
  static U64 key(const Cell& cell) { return token(0, cell); }

  U64 owner_ = 0;  // 0: no thread block has written
  std::unordered_map<U64, Token> written_;
};

/// All storage: register homes, shared homes, SIMT lines of the contexts, places, and memory.
class Storage {
 public:
  void clear() { *this = {}; }

  [[nodiscard]] Home& registers(unsigned home) { return registers_[home]; }
  [[nodiscard]] Home& shared(unsigned home) { return shared_[home]; }
  [[nodiscard]] Home& simt(unsigned slot) { return simt_[slot]; }
  void write_memory(U64 address, Token value) { memory_[address] = value; }

  /// Returns what the source of an access holds.
  [[nodiscard]] Token source(const Access& access) {
    return access.store ? inside(access).read(cell_of(access)) : far(access);
  }
  /// Writes the destination of an access; poisons the source, unless it is read-only.
  void move(const Access& access, Token value) {
    if (access.store) {
      (access.local ? places_ : memory_)[access.address] = value;
      inside(access).write(cell_of(access), kPoison);
      return;
    }
    if (access.type != AccessType::kReadOnly) (access.local ? places_ : memory_)[access.address] = kPoison;
    inside(access).write(cell_of(access), value);
  }

 private:
  [[nodiscard]] Home& inside(const Access& access) {
    if (access.type == AccessType::kSimt) return simt_[access.slot];
    return access.type == AccessType::kRegister ? registers_[access.home] : shared_[access.home];
  }
  [[nodiscard]] Token far(const Access& access) const {
    const auto& lines = access.local ? places_ : memory_;
    const auto found = lines.find(access.address);
    if (found != lines.end()) return found->second;
    return access.local ? kPoison : memory_token(access.address);
  }

  std::map<unsigned, Home> registers_, shared_, simt_;
  std::unordered_map<U64, Token> places_, memory_;
};

}  // namespace castor::tb_swap::reference
