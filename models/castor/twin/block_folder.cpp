#include "castor/twin/block_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "castor/base/error.h"
#include "castor/base/installation.h"
#include "castor/base/words.h"

namespace castor::twin {
namespace {

namespace fs = std::filesystem;

std::string real(const std::string& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(path, error);
  return error ? path : found.string();
}

}  // namespace

std::vector<std::string> block_search_path() {
  std::vector<std::string> folders{real(base::library_folder() + "/castor/blocks")};
  const char* const more = std::getenv("CASTOR_BLOCKS");
  std::string rest = more != nullptr ? more : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string folder = rest.substr(0, colon);
    rest = colon == std::string::npos ? std::string{} : rest.substr(colon + 1);
    if (folder.empty()) continue;
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      throw base::InputError("CASTOR_BLOCKS names a folder that is not there: '" + base::printable(folder, 400) + "'",
                             "it holds a folder per block, as castor_block of CMake writes them");
    }
    if (const std::string path = real(folder); std::find(folders.begin(), folders.end(), path) == folders.end()) {
      folders.push_back(path);
    }
  }
  return folders;
}

std::vector<BlockFolder> find_blocks() {
  std::vector<BlockFolder> blocks;
  for (const std::string& folder : block_search_path()) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      const BlockFolder block{entry->path().filename().string(), entry->path().string()};
      std::error_code ignored;
      if (fs::exists(block.manifest(), ignored)) blocks.push_back(block);
    }
  }
  std::sort(blocks.begin(), blocks.end(), [](const BlockFolder& a, const BlockFolder& b) {
    return a.name != b.name ? a.name < b.name : a.path < b.path;
  });
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    if (blocks[i].name != blocks[i - 1].name) continue;
    throw base::InputError(
        "two blocks are called " + blocks[i].name + ": '" + blocks[i - 1].path + "' and '" + blocks[i].path + "'",
        "rename one, or take its folder out of CASTOR_BLOCKS");
  }
  return blocks;
}

bool has_block(const std::string& name) {
  const std::vector<BlockFolder> blocks = find_blocks();
  return std::any_of(blocks.begin(), blocks.end(), [&name](const BlockFolder& block) { return block.name == name; });
}

BlockFolder find_block(const std::string& name) {
  std::string names;
  std::vector<std::string> list;
  for (BlockFolder& block : find_blocks()) {
    if (block.name == name) return std::move(block);
    names += (names.empty() ? "" : ", ") + block.name;
    list.push_back(block.name);
  }
  std::string places;
  for (const std::string& folder : block_search_path()) places += (places.empty() ? "" : ", ") + folder;
  throw base::InputError("no block '" + base::printable(name) + "'",
                         base::did_you_mean(name, list, " ") +
                             (names.empty() ? "there are none" : "blocks are " + names) + "; looked for in " + places +
                             (std::getenv("CASTOR_BLOCKS") != nullptr ? "" : "; CASTOR_BLOCKS names more folders"));
}

}  // namespace castor::twin
