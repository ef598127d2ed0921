#pragma once

#include <string>
#include <vector>

/// Folders of blocks. Each block has a folder <name>/ that holds
///
///     block.json   the manifest, for the flows: name, meaning, port and engine headers, include folders, RTL, bench
///     model.so     engine, adapter and registration, if the block plugs into a GPU
///     bench.so     entry point for `castor cosim`; both objects are built on request (block_object.h)
///
/// The folders <name>/ are below <library folder>/castor/blocks of Castor itself, and below each folder in the
/// environment variable CASTOR_BLOCKS (separated by colons). castor_block of CMake writes them.
namespace castor::twin {

/// Name and folder of one block.
struct BlockFolder {
  std::string name;  ///< name of the block
  std::string path;  ///< path of the block's folder

  [[nodiscard]] std::string manifest() const { return path + "/block.json"; }
};

/// Returns the folders that hold blocks, Castor's own first; a folder listed twice counts once.
[[nodiscard]] std::vector<std::string> block_search_path();

/// Returns all blocks in alphabetical order, whatever the order of the folders. Throws InputError with both places if
/// two blocks have the same name, and if a folder of CASTOR_BLOCKS does not exist.
[[nodiscard]] std::vector<BlockFolder> find_blocks();

/// Whether a block of this name exists. Throws as `find_blocks`.
[[nodiscard]] bool has_block(const std::string& name);

/// Returns the block of this name. Throws as `find_blocks`, and InputError with a list of all blocks if none has the
/// name.
[[nodiscard]] BlockFolder find_block(const std::string& name);

}  // namespace castor::twin
