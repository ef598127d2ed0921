#pragma once

#include <memory>
#include <string_view>

#include "castor/isa/module.h"
#include "castor/isa/program.h"

namespace castor::compiler {

/// Compiles kernel `kernel` of a module to physical registers, together with its own copies of every device function
/// that it can reach. Steps: control-flow graph, reconvergence points (immediate post-dominators), liveness, register
/// allocation. `options`, `.maxnreg`, `.maxntid` and `.minnctapersm` limit the registers; spills go to local memory. A
/// kernel without these directives gets at most the registers with which a thread block of 1024 threads fits an SM, if
/// that causes no spills. `options.marks` selects the marking of redundant instructions, which renumbers registers
/// (compiler/marks.h).
///
/// Recursive functions have frames on a call stack of LinkOptions::stack_bytes (link.cpp).
///
/// Errors: base::InputError with PTX file and line: unknown kernel or symbol, unresolved extern function, more than
/// 32,764 parameter bytes.
[[nodiscard]] std::shared_ptr<const isa::Program> compile(const isa::Module& module, std::string_view kernel,
                                                          const isa::LinkOptions& options);

/// True if the source limits the kernel's registers: `.maxntid`, `.reqntid`, `.minnctapersm` or `.maxnreg`. castor-cc
/// writes `.maxnreg` for -maxrregcount.
[[nodiscard]] bool is_bounded(const isa::Function& kernel);

/// Returns the properties of a kernel for listings: compiles with the given limits and with all addresses 0.
[[nodiscard]] isa::Program inspect(const isa::Module& module, std::string_view kernel, const isa::LinkOptions& options);

}  // namespace castor::compiler
