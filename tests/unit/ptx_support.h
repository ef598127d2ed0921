#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "castor/base/error.h"
#include "castor/isa/module.h"
#include "ptx/parser.h"

// Shared code of the PTX parser's tests.
namespace castor::ptx::test {

inline const char* const kHeader = ".version 7.0\n.target sm_70\n.address_size 64\n";

/// Returns the module of the given text after a header of three lines; the text starts at line 4, column 1.
inline isa::Module module_of(std::string_view text) { return parse(kHeader + std::string(text), "test.ptx"); }

/// Returns a kernel with that body, preceded by module-level text. All is in line 4 if they contain no line ends.
inline std::string kernel_text(std::string_view body, std::string_view before = {}) {
  return std::string(before) + ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n" + std::string(body) + "\n}\n";
}

inline isa::Module kernel(std::string_view body, std::string_view before = {}) {
  return module_of(kernel_text(body, before));
}

/// Returns "line:column: message" of the error in the text, or "no error".
inline std::string error_of_text(const std::string& text) {
  try {
    (void)parse(text, "test.ptx");
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.where().file, "test.ptx");
    return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + ": " + error.message();
  }
  return "no error";
}

/// Returns the same for text that follows the module header. The first line of the text counts as line 1.
inline std::string error_of(std::string_view text) {
  const std::string full = error_of_text(kHeader + std::string(text));
  const std::size_t colon = full.find(':');
  if (colon == std::string::npos) return full;
  return std::to_string(std::stoi(full.substr(0, colon)) - 3) + full.substr(colon);
}

/// Returns the same for the body of a kernel whose first line counts as line 1.
inline std::string error_in(std::string_view body, std::string_view before = {}) {
  const std::string full = error_of(kernel_text(body, before));
  const std::size_t colon = full.find(':');
  if (colon == std::string::npos) return full;
  return std::to_string(std::stoi(full.substr(0, colon)) - 2) + full.substr(colon);
}

inline const isa::Function& only_kernel(const isa::Module& module) {
  const isa::Function* const found = module.find_function("k");
  EXPECT_NE(found, nullptr);
  return *found;
}

inline const std::string& register_name(const isa::Function& function, const isa::Operand& operand) {
  EXPECT_EQ(operand.kind, isa::Operand::Kind::kRegister);
  return function.registers.at(operand.index).name;
}

}  // namespace castor::ptx::test
