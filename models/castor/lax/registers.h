#pragma once

#include <optional>

#include "castor/lax/edge.h"
#include "castor/lax/params.h"
#include "castor/lax/ports.h"

/// The register port (docs/blocks/lax.md, "Registers").
namespace castor::lax {

/// Reads of registers, without side effect.
class RegisterReader {
 public:
  RegisterReader(const Params& params, const State& state) : params_(params), state_(state) {}
  /// Returns a register, or nothing if the address is not mapped.
  [[nodiscard]] std::optional<U32> read(U32 address, U64 now) const;

 private:
  [[nodiscard]] std::optional<U32> single(U32 address, U64 now) const;
  [[nodiscard]] std::optional<U32> table(U32 address) const;
  [[nodiscard]] std::optional<U32> job(U32 address) const;
  [[nodiscard]] U32 status() const;

  const Params& params_;
  const State& state_;
};

/// Writes of registers at one clock edge.
class RegisterWriter {
 public:
  RegisterWriter(const Params& params, State& state, Edge& edge) : params_(params), state_(state), edge_(edge) {}
  /// Writes a register. Returns reg_err.
  U8 write(U32 address, U32 value);

 private:
  U8 single(U32 address, U32 value);
  U8 control(U32 value) const;
  U8 table(U32 address, U32 value);

  const Params& params_;
  State& state_;
  Edge& edge_;
};

/// Returns the register CTRL.
[[nodiscard]] U32 control_word(const Config& config);
/// Serves the register port at a clock edge.
void step_registers(const Params& params, State& state, const Inputs& in, Edge& edge);

}  // namespace castor::lax
