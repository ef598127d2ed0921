#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/store.h"
#include "castor/isa/program.h"

namespace castor::gpu {

/// A program loaded in a device: its code and its constants. Each constant is a register row, broadcast to the
/// machine's lanes.
class LoadedProgram {
 public:
  LoadedProgram(std::shared_ptr<const isa::Program> program, unsigned lanes, std::uint64_t code_base);

  [[nodiscard]] const isa::Program& program() const { return *program_; }
  /// Returns the constant rows of 4 x lanes bytes, on a 64-byte boundary. A 64-bit constant takes two rows.
  [[nodiscard]] const std::byte* constants() const { return rows_.front().bytes; }
  /// Returns the device address of record 0; record i is at code_base + 8 i. Returns 0 on a device without code
  /// addresses.
  [[nodiscard]] std::uint64_t code_base() const { return code_base_; }

 private:
  /// Piece of a constant row; gives the rows their alignment.
  struct alignas(64) Block {
    std::byte bytes[64];
  };

  std::shared_ptr<const isa::Program> program_;
  std::vector<Block> rows_;
  std::uint64_t code_base_;
};

/// Table of a device's programs, by handle. References stay valid as long as the table.
class ProgramTable {
 public:
  /// `code`: store in which code addresses are allocated (8 bytes per record); null = programs have no addresses.
  ProgramTable(unsigned lanes, Store* code) : lanes_(lanes), code_(code) {}

  /// Loads a program. Errors: InputError if no device memory is left for the code, and for redundancy marks and sites
  /// of synchronisation that break a rule (isa/mark_check.h, isa/site_check.h), with kernel, record and PTX line.
  ProgramHandle load(std::shared_ptr<const isa::Program> program);
  [[nodiscard]] const LoadedProgram& operator[](ProgramHandle handle) const;
  /// Implements Device::name_kernel.
  void name(std::uint64_t value, std::optional<ProgramHandle> program);
  /// Returns the program bound to a kernel value, or null.
  [[nodiscard]] const LoadedProgram* kernel(std::uint64_t value) const;
  /// Returns the program whose record 0 is at a device address, or null.
  [[nodiscard]] const LoadedProgram* find(std::uint64_t code_base) const;

 private:
  unsigned lanes_;
  Store* code_;
  std::vector<std::unique_ptr<LoadedProgram>> programs_;
  std::unordered_map<std::uint64_t, ProgramHandle> kernels_;  ///< by kernel value
};

}  // namespace castor::gpu
