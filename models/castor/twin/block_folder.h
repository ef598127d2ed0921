#pragma once

#include <string>
#include <vector>

/// Where blocks lie: a folder <name>/ per block with
///
///     block.json   its manifest, for the flows: name, meaning, port and engine headers, include folders, RTL, bench
///     model.so     engine, adapter and registration, if the block plugs into a GPU
///     bench.so     its entry for `castor cosim`; both are built when they are asked for (block_object.h)
///
/// below <library folder>/castor/blocks of Castor itself, and below each folder of environment variable CASTOR_BLOCKS
/// (separated by colons). castor_block of CMake writes such folders.
namespace castor::twin {

struct BlockFolder {
  std::string name;  ///< of the block
  std::string path;  ///< of its folder

  [[nodiscard]] std::string manifest() const { return path + "/block.json"; }
};

/// Folders that hold blocks, Castor's own first; one named twice counts once.
[[nodiscard]] std::vector<std::string> block_search_path();

/// All blocks, in alphabetical order whatever the order of the folders is. Errors: InputError naming both places if two
/// blocks have one name; a folder of CASTOR_BLOCKS that is not there.
[[nodiscard]] std::vector<BlockFolder> find_blocks();

/// Whether there is a block of that name. Errors: as `find_blocks`.
[[nodiscard]] bool has_block(const std::string& name);

/// The block of that name. Errors: as `find_blocks`, and InputError that lists the blocks that there are.
[[nodiscard]] BlockFolder find_block(const std::string& name);

}  // namespace castor::twin
