#include "castor/base/installation.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>

/// Returns the prefix of the installation. Defined only in programs that link Castor statically (CastorConfig.cmake).
extern "C" [[gnu::weak]] const char* castor_package_prefix();

namespace castor::base {
namespace {

/// Returns the file from which this code was loaded: the program or a shared library.
std::string this_object() {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&prefix), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) {
    return {};
  }
  if (map != nullptr && map->l_name != nullptr && *map->l_name != '\0') {
    char* const real = ::realpath(map->l_name, nullptr);
    std::string path = real != nullptr ? real : map->l_name;
    std::free(real);
    return path;
  }
  char buffer[4096];  // the dynamic linker has no name for the program itself
  const ssize_t length = ::readlink("/proc/self/exe", buffer, sizeof buffer);
  return length > 0 ? std::string(buffer, static_cast<std::size_t>(length)) : std::string{};
}

/// Returns an environment variable; empty if it is not set.
std::string told(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string working_folder() {
  char* const found = ::getcwd(nullptr, 0);
  std::string folder = found != nullptr ? found : ".";
  std::free(found);
  return folder;
}

std::string parent(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? std::string("/") : path.substr(0, slash);
}

}  // namespace

std::string prefix() {
  if (std::string folder = told("CASTOR_PREFIX"); !folder.empty()) {
    // Relative to the working folder of the first call: the program may change its working folder later, and child
    // processes inherit the variable.
    static const std::string here = working_folder();
    if (folder[0] != '/') folder.insert(0, here + "/");
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    return folder;
  }
  if (castor_package_prefix != nullptr) return castor_package_prefix();
  const std::string folder = parent(this_object());
  const std::string end = "/" CASTOR_LIBDIR;  // CASTOR_LIBDIR may have two parts, such as lib/x86_64-linux-gnu
  if (folder.size() > end.size() && folder.compare(folder.size() - end.size(), end.size(), end) == 0) {
    return folder.substr(0, folder.size() - end.size());
  }
  return parent(folder);
}

std::string library_folder() { return prefix() + "/" CASTOR_LIBDIR; }

std::string data_folder() { return prefix() + "/share/castor"; }

std::string cache_folder() {
  if (std::string folder = told("CASTOR_CACHE"); !folder.empty()) return folder;
  const std::string home = told("XDG_CACHE_HOME");
  return (home.empty() ? told("HOME") + "/.cache" : home) + "/castor";
}

}  // namespace castor::base
