#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace castor::workloads::laperm {

/// What thread blocks of a program touch, block of 128 bytes by block, and who launched whom. A program whose PTX went
/// through `with_footprints` keeps it on the device while it runs.
///
/// Touched: blocks of global memory by loads, stores and atomics of any lane that executes them. A thread block is
/// named by `%gridid` and its number in the grid; who launched it follows from the parameter buffer that its direct
/// parent got and that it was given.
struct Footprint {
  std::vector<std::uint64_t> touched;  ///< keys, each once: device 1, grid 16, thread block 16, memory 31 bits
  /// A parent got a parameter buffer, or a child that was given it began.
  struct Note {
    std::uint64_t grid = 0;
    std::uint64_t block = 0;  ///< of the parent
    std::uint64_t buffer = 0;
    bool child = false;
  };
  std::vector<Note> notes;  ///< of a buffer in the order of time, parents and children each
};

/// PTX text with a call in front of every access to memory that may be global, at the start of kernels and where
/// parameter buffers come back. Kernels compute what they did; a run whose tables are full, or with more than 65,535
/// grids or thread blocks of a grid, ends in a trap. Errors: base::Error if the text is not as clang writes it.
[[nodiscard]] std::string with_footprints(const std::string& ptx);
/// A C++ source for the host part of such a program: it writes what was kept, when the program ends, to the file that
/// the environment variable CASTOR_FOOTPRINT names.
[[nodiscard]] const char* footprint_writer();
/// Reads that file. Errors: base::Error.
[[nodiscard]] Footprint read_footprint(const std::string& bytes);

/// The study of Wang 2016, section 5.1.1. A *direct parent* is a thread block that launched; `c` is what its
/// children touch together, `p` what it touches itself. Blocks in which parameter buffers lie are left out.
struct Sharing {
  double parent_child = 0;   ///< |p and c| / |c|, mean over direct parents
  double child_sibling = 0;  ///< |child and siblings| / |siblings|, mean over children, then over parents with several
  double parent_parent = 0;  ///< |a and b| / |b|, mean over neighbours a, b of grids with a direct parent
  std::uint64_t parents = 0, children = 0, families = 0, neighbours = 0;  ///< direct parents; TBs; with several; pairs
  double child_blocks = 0, parent_blocks = 0;                             ///< touched on average
};
/// Errors: base::Error if a child has no parent.
[[nodiscard]] Sharing sharing(const Footprint& footprint);

}  // namespace castor::workloads::laperm
