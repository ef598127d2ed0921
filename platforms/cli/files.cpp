#include "platforms/cli/files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "castor/base/error.h"
#include "castor/base/words.h"

namespace castor::platforms::cli {

namespace {

/// Throws InputError if the path names an existing source file: its kernels must be compiled by castor-cc first.
void refuse_source(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::string end = dot == std::string::npos ? std::string() : path.substr(dot);
  if (end != ".cu" && end != ".cpp" && end != ".cc" && end != ".cxx" && end != ".cl") return;
  struct ::stat status {};
  if (::stat(path.c_str(), &status) != 0) return;  // the error is reported when the file is read
  const std::string ptx = path.substr(path.rfind('/') + 1, dot - (path.rfind('/') + 1)) + ".ptx";
  throw base::InputError(
      "'" + base::printable(path, std::string::npos) + "' is a source, and PTX or a program is expected",
      "compile it first: castor-cc --ptx " + base::shell_word(path) + " -o " + base::shell_word(ptx));
}

}  // namespace

std::string read_file(const std::string& path) {
  const auto wrong = [&](const std::string& why) {
    return base::InputError("cannot read '" + base::printable(path, std::string::npos) + "': " + why);
  };
  struct ::stat status {};
  if (::stat(path.c_str(), &status) != 0) throw wrong(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) throw wrong(std::strerror(EISDIR));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw wrong(std::strerror(errno != 0 ? errno : EIO));
  std::string content;
  char part[1 << 16];
  while (file.read(part, sizeof part) || file.gcount() != 0) {
    content.append(part, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw wrong(std::strerror(errno != 0 ? errno : EIO));
  if (content.empty()) throw wrong("it is empty");
  return content;
}

std::vector<std::string> read_ptx(const std::string& path) {
  refuse_source(path);
  std::string content = read_file(path);
  if (content.compare(0, 4, "\177ELF") != 0) {
    // The output of castor-cc -cubin and -fatbin ends with a NUL.
    content.resize(std::min(content.find('\0'), content.size()));
    return {std::move(content)};
  }
  // A PTX image in a program is a zero-terminated text that starts with a comment or with .version.
  std::vector<std::string> images;
  for (std::size_t at = 0; (at = content.find("\n.version ", at)) != std::string::npos;) {
    const std::size_t start = content.rfind('\0', at) + 1;
    const std::size_t end = std::min(content.find('\0', at), content.size());
    images.push_back(content.substr(start, end - start));
    at = end;
  }
  if (images.empty()) {
    throw base::InputError("'" + base::printable(path, std::string::npos) + "' holds no PTX",
                           "build it with castor-cc");
  }
  return images;
}

}  // namespace castor::platforms::cli
