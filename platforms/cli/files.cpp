#include "platforms/cli/files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "castor/base/error.h"

namespace castor::platforms::cli {

std::string read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || !text) {
    throw base::InputError("cannot read '" + base::printable(path) + "': " + std::strerror(errno != 0 ? errno : EIO));
  }
  return text.str();
}

std::string read_ptx(const std::string& path) {
  std::string content = read_text_file(path);
  if (content.compare(0, 4,
                      "\x7f"
                      "ELF") != 0)
    return content;
  // The image is a zero-terminated text that starts with a comment or the version.
  const std::size_t version = content.find(".version ");
  if (version == std::string::npos) {
    throw base::InputError("'" + base::printable(path) + "' holds no PTX", "build it with castor-cc");
  }
  const std::size_t start = content.rfind('\0', version) + 1;
  const std::size_t end = content.find('\0', version);
  return content.substr(start, end == std::string::npos ? std::string::npos : end - start);
}

void write_report(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path);
  file << text << '\n';
  file.close();
  if (!file) {
    throw base::InputError("cannot write '" + base::printable(path) + "': " + std::strerror(errno != 0 ? errno : EIO));
  }
}

}  // namespace castor::platforms::cli
