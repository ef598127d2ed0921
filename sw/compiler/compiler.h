#pragma once

#include <memory>
#include <string_view>

#include "castor/isa/module.h"
#include "castor/isa/program.h"

namespace castor::compiler {

/// Compiles kernel `kernel` of a module, with its own copies of every device function that it can reach, to physical
/// registers: control-flow graph, reconvergence points (immediate post-dominators), liveness, register allocation with
/// the cap of `options`, `.maxnreg`, `.maxntid` and `.minnctapersm`; spills go to local memory. A kernel without bounds
/// gets no more registers than a block of 1024 threads may have, if it needs no spills for that. `options.marks` says
/// whether redundant instructions are then marked, which gives registers other numbers (compiler/marks.h).
///
/// Functions that call themselves have frames on a call stack of LinkOptions::stack_bytes (link.cpp).
///
/// Errors: base::InputError with PTX file and line: unknown kernel or symbol, unresolved extern function, more than
/// 32,764 parameter bytes.
[[nodiscard]] std::shared_ptr<const isa::Program> compile(const isa::Module& module, std::string_view kernel,
                                                          const isa::LinkOptions& options);

/// True if the source bounds what a kernel may have: `.maxntid`, `.reqntid`, `.minnctapersm` or `.maxnreg`, of which
/// castor-cc writes the last for -maxrregcount.
[[nodiscard]] bool is_bounded(const isa::Function& kernel);

/// Figures of a kernel without code, for listings: compiles with the given limits and zero addresses.
[[nodiscard]] isa::Program inspect(const isa::Module& module, std::string_view kernel, const isa::LinkOptions& options);

}  // namespace castor::compiler
