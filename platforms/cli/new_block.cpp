// castor new-block: writes the skeleton of a hardware block into a folder of its own.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/error.h"
#include "castor/base/installation.h"
#include "castor/base/output_file.h"
#include "castor/base/words.h"
#include "castor/twin/block_folder.h"
#include "platforms/cli/commands.h"

namespace castor::platforms::cli {
namespace {

namespace fs = std::filesystem;
using Values = std::map<std::string, std::string>;

constexpr std::size_t kLongestName = 32;

/// Returns the folder of the templates. common/ holds the files of every skeleton. <hook>/ holds the files that depend
/// on the hook, with the hook's words in <hook>/values. A file f.in is written as f; NAME in paths and @KEY@ in texts
/// are replaced.
fs::path templates() {
  fs::path folder = fs::path(base::data_folder()) / "new_block";
  if (!fs::is_directory(folder / "common")) {
    throw base::InputError("the templates are not installed: no folder '" + folder.string() + "'",
                           "install all of Castor");
  }
  return folder;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw base::InputError("cannot read '" + path.string() + "'");
  return text.str();
}

void check_hook(const std::string& hook) {
  const std::vector<std::string> hooks = served_hooks();
  if (std::find(hooks.begin(), hooks.end(), hook) != hooks.end()) return;
  std::string names;
  for (const std::string& one : hooks) names += (names.empty() ? "" : ", ") + one;
  throw base::InputError("no hook '" + base::printable(hook) + "' that a block is plugged into",
                         base::did_you_mean(hook, hooks, " ") + "there are: " + names);
}

/// Checks the block's name, which becomes the name of a namespace, a SystemVerilog module and a folder.
void check_name(const std::string& name) {
  static const char* const kWords[] = {"and",
                                       "asm",
                                       "auto",
                                       "bool",
                                       "break",
                                       "case",
                                       "catch",
                                       "char",
                                       "class",
                                       "const",
                                       "continue",
                                       "default",
                                       "delete",
                                       "do",
                                       "double",
                                       "else",
                                       "enum",
                                       "explicit",
                                       "export",
                                       "extern",
                                       "false",
                                       "float",
                                       "for",
                                       "friend",
                                       "goto",
                                       "if",
                                       "inline",
                                       "int",
                                       "linux",
                                       "long",
                                       "mutable",
                                       "namespace",
                                       "new",
                                       "not",
                                       "operator",
                                       "or",
                                       "private",
                                       "protected",
                                       "public",
                                       "register",
                                       "return",
                                       "short",
                                       "signed",
                                       "sizeof",
                                       "static",
                                       "struct",
                                       "switch",
                                       "template",
                                       "this",
                                       "throw",
                                       "true",
                                       "try",
                                       "twin",
                                       "typedef",
                                       "typeid",
                                       "typename",
                                       "union",
                                       "unix",
                                       "unsigned",
                                       "using",
                                       "virtual",
                                       "void",
                                       "volatile",
                                       "while",
                                       "xor",
                                       "bitand",
                                       "bitor",
                                       "compl",
                                       "alignas",
                                       "alignof",
                                       "constexpr",
                                       "decltype",
                                       "noexcept",
                                       "nullptr",
                                       "static_assert",
                                       "thread_local",
                                       "char16_t",
                                       "char32_t",
                                       "wchar_t",
                                       "const_cast",
                                       "dynamic_cast",
                                       "reinterpret_cast",
                                       "static_cast",
                                       "and_eq",
                                       "not_eq",
                                       "or_eq",
                                       "xor_eq",
                                       "castor",
                                       "std",
                                       "errno",
                                       "stdin",
                                       "stdout",
                                       "stderr",
                                       "rtl",
                                       "tb",
                                       "build"};
  const auto good = [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_'; };
  if (name.empty() || name.size() > kLongestName || std::islower(static_cast<unsigned char>(name[0])) == 0 ||
      !std::all_of(name.begin(), name.end(), good) || name.back() == '_' || name.find("__") != std::string::npos) {
    throw base::InputError("'" + base::printable(name) + "' cannot be the name of a block",
                           "lower-case letters, digits and single underscores, a letter first, at most " +
                               std::to_string(kLongestName) + " characters");
  }
  if (std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords)) {
    throw base::InputError("'" + name + "' cannot be the name of a block: the word has another meaning",
                           "another name");
  }
  for (const twin::BlockFolder& block : twin::find_blocks()) {
    if (block.name == name) {
      throw base::InputError("there is a block called " + name + ", in '" + block.path + "'", "another name");
    }
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

/// Reads lines of the form "KEY = text". "\n" in a text stands for a line break.
void read_values(const fs::path& path, Values& values) {
  std::istringstream lines(read(path));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    CASTOR_ASSERT(equals != std::string::npos, "%s: '%s'", path.c_str(), line.c_str());
    values[line.substr(0, equals)] = replaced(line.substr(equals + 3), "\\n", "\n");
  }
}

/// Writes the files of one template folder, with NAME and @KEY@ replaced.
void write_files(const fs::path& from, const fs::path& to, const Values& values) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
    if (entry.path().extension() != ".in") continue;
    fs::path name = entry.path().lexically_relative(from);
    name.replace_extension();
    const fs::path path = to / replaced(name.string(), "NAME", values.at("NAME"));
    std::string text = read(entry.path());
    for (const auto& [key, value] : values) text = replaced(std::move(text), "@" + key + "@", value);
    fs::create_directories(path.parent_path());
    base::write_file(path, text);
  }
}

struct Request {
  std::string name, hook, into;
};

int new_block(const Request& request) {
  check_hook(request.hook);
  check_name(request.name);
  const fs::path folder = request.into.empty() ? request.name : request.into;
  if (fs::exists(fs::symlink_status(folder))) {
    throw base::InputError("'" + base::printable(folder.string(), std::string::npos) + "' exists",
                           "--into names another folder");
  }
  // MEMBERS is text of the hooks sync and swap alone: member functions of the registration.
  Values values{{"NAME", request.name}, {"HOOK", request.hook}, {"MEMBERS", ""}};
  std::string& upper = values["UPPER"];
  for (const char c : request.name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const fs::path from = templates();
  read_values(from / request.hook / "values", values);
  try {
    write_files(from / "common", folder, values);
    write_files(from / request.hook, folder, values);
  } catch (const fs::filesystem_error& error) {
    throw base::InputError("cannot write '" + base::printable(folder.string(), std::string::npos) +
                           "': " + error.code().message());
  }
  std::printf(
      "block %s on hook %s, in %s. Its README.md goes on from here:\n\n"
      "  cd %s && cmake -B build && cmake --build build\n"
      "  export CASTOR_BLOCKS=$PWD/build/blocks\n"
      "  castor cosim %s\n",
      request.name.c_str(), request.hook.c_str(), folder.c_str(), folder.c_str(), request.name.c_str());
  return kGood;
}

}  // namespace

std::vector<std::string> served_hooks() {
  std::vector<std::string> hooks;
  for (const fs::directory_entry& entry : fs::directory_iterator(templates())) {
    if (fs::exists(entry.path() / "values")) hooks.push_back(entry.path().filename());
  }
  std::sort(hooks.begin(), hooks.end());
  return hooks;
}

void add_new_block(CLI::App& app, int& result) {
  CLI::App* const command =
      app.add_subcommand("new-block", "Write the skeleton of a hardware block, in a folder of its own");
  const auto request = std::make_shared<Request>();
  command->add_option("name", request->name, "name of the block")->required();
  command
      ->add_option("--hook", request->hook,
                   "dispatch, fetch_filter, governors, issue, job_scheduler, launch, sources, swap or sync")
      ->required();
  command->add_option("--into", request->into, "folder to write; default: the block's name");
  command->footer("Example: castor new-block packer --hook dispatch. Guide: docs/guides/adding-a-block.md.");
  command->callback([request, &result] { result = new_block(*request); });
}

}  // namespace castor::platforms::cli
