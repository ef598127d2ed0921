#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "castor/isa/types.h"

namespace castor::platforms::cli {

/// One kernel argument as written on the command line.
///
///   42, -7, 0x10, 1.5, nan, inf      a scalar, converted to the parameter's PTX type
///   zeros:N, zeros:NxTYPE            a buffer of N bytes, or of N elements
///   iota:NxTYPE[:START]              START, START+1, ... (default 0)
///   random:NxTYPE[:SEED]             seeded: floats in [0, 1), integers over their whole range
///   value:NxTYPE:V                   N times V
///   hex:0011AAFF                     these bytes
///   file:PATH                        the file's bytes
///
/// TYPE is a PTX type: u8 s32 f32 f64 ...
struct Argument {
  bool buffer = false;
  std::vector<std::byte> bytes;     ///< initial contents of the buffer
  std::string scalar;               ///< text of the scalar
  isa::Type type = isa::Type::kB8;  ///< element type of the buffer, if the text named one
};

/// Parses one argument. Throws base::InputError.
[[nodiscard]] Argument parse_argument(const std::string& text);

/// Returns the bytes of a scalar in the given type. Throws base::InputError if the text is not a number or out of
/// range.
[[nodiscard]] std::vector<std::byte> scalar_bytes(const std::string& text, isa::Type type);

/// Output of a buffer's contents after the kernel: "INDEX:hex", "INDEX:hash", "INDEX:file:PATH", "INDEX:TYPE[:COUNT]".
struct Dump {
  std::size_t argument = 0;  ///< index among all arguments, from 0
  enum class How : std::uint8_t { kHex, kHash, kFile, kValues } how = How::kHex;
  std::string path;
  isa::Type type = isa::Type::kB8;
  std::size_t count = 0;  ///< number of values to print; 0: all
};
/// Parses one --dump option. Throws base::InputError.
[[nodiscard]] Dump parse_dump(const std::string& text);

/// Returns one element as text.
[[nodiscard]] std::string value_text(const std::byte* at, isa::Type type);

/// Parses "X", "X,Y" or "X,Y,Z" (also separated by 'x') into `size`. Throws base::InputError.
void parse_dimensions(const std::string& text, const char* what, std::uint32_t (&size)[3]);

}  // namespace castor::platforms::cli
