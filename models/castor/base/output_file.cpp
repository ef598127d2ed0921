#include "castor/base/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace castor::base {

InputError cannot_write(const std::string& path) {
  const std::string why = errno != 0 ? std::string(": ") + std::strerror(errno) : std::string();
  return InputError("cannot write '" + printable(path, std::string::npos) + "'" + why);
}

void write_file(const std::string& path, std::string_view text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw cannot_write(path);
}

void finish_output() {
  errno = 0;
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!lost || errno == EPIPE) return;
  const std::string why = errno != 0 ? std::string(": ") + std::strerror(errno) : std::string();
  throw InputError("cannot write all of standard output" + why, "is the disk full?");
}

}  // namespace castor::base
