#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace castor::workloads::laperm {

/// Memory that the thread blocks of a program touch, in blocks of 128 bytes, and the parent of each launch. A program
/// whose PTX went through `with_footprints` records it on the device while it runs.
///
/// Touched blocks are blocks of global memory that any lane of the thread block loads from, stores to or updates
/// atomically. A thread block is identified by `%gridid` and its number in the grid. Its parent is found by the
/// parameter buffer, which the direct parent obtained and the child received.
struct Footprint {
  /// Keys, each once: 1 bit device, 16 bits grid, 16 bits thread block, 31 bits memory block
  std::vector<std::uint64_t> touched;
  /// A record of one of two events: a parent obtained a parameter buffer, or a child that received the buffer began.
  struct Note {
    std::uint64_t grid = 0;
    std::uint64_t block = 0;  ///< number of the parent's thread block in its grid
    std::uint64_t buffer = 0;
    bool child = false;
  };
  std::vector<Note> notes;  ///< for each buffer, the parents' records are in order of time, and so are the children's
};

/// Returns the PTX text with calls that record the footprint: before every access to memory that may be global, at the
/// start of kernels, and where parameter buffers are obtained. Results of the kernels do not change. A run traps if its
/// tables are full, or if it has more than 65,535 grids or thread blocks in a grid. Throws base::Error if the text is
/// not PTX in the form that clang writes.
[[nodiscard]] std::string with_footprints(const std::string& ptx);
/// Returns a C++ source for the host part of a program that went through `with_footprints`. At the end of the program
/// it writes the recorded footprint to the file that the environment variable CASTOR_FOOTPRINT names.
[[nodiscard]] const char* footprint_writer();
/// Parses the contents of a file that the footprint writer wrote. Throws base::Error if it is cut off.
[[nodiscard]] Footprint read_footprint(const std::string& bytes);

/// Sharing of memory blocks between thread blocks, as in Wang 2016, section 5.1.1. A *direct parent* is a thread block
/// that launched. `c` is the set of blocks touched by all its children, `p` the set that it touches itself. Blocks that
/// hold parameter buffers are excluded.
struct Sharing {
  double parent_child = 0;   ///< |p and c| / |c|, mean over direct parents
  double child_sibling = 0;  ///< |child and siblings| / |siblings|, mean over children, then over parents with several
  double parent_parent = 0;  ///< |a and b| / |b|, mean over neighbours a, b of grids with a direct parent
  /// Direct parents; child TBs; parents with several children; pairs of neighbours
  std::uint64_t parents = 0, children = 0, families = 0, neighbours = 0;
  double child_blocks = 0, parent_blocks = 0;  ///< mean number of blocks touched
};
/// Computes the sharing. Throws base::Error if the parents and children of a parameter buffer differ in number.
[[nodiscard]] Sharing sharing(const Footprint& footprint);

}  // namespace castor::workloads::laperm
