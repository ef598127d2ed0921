#include "castor/base/shared_object.h"

#include <dlfcn.h>

#include "castor/base/error.h"

namespace castor::base {

namespace {

unsigned loaded = 0;

}  // namespace

unsigned objects_loaded() { return loaded; }

const ObjectHeader& load_object(const std::string& path, const char* entry, const std::string& kind,
                                const std::string& block) {
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    throw InputError("cannot load '" + path + "': " + (why != nullptr ? why : "no reason given"),
                     "build the block again with castor_block");
  }
  using Entry = const ObjectHeader* (*)();
  const auto function = reinterpret_cast<Entry>(::dlsym(handle, entry));
  if (function == nullptr) {
    throw InputError("'" + path + "' is no " + kind + " of a block: it has no function " + entry,
                     "build the block again with castor_block");
  }
  const ObjectHeader& object = *function();
  if (std::string(object.abi) != kAbi) {
    throw InputError("'" + path + "' was built for another version of Castor: " + object.abi + ", this is " + kAbi,
                     "build the block again against this one");
  }
  if (object.kind != kind || object.block != block) {
    throw InputError("'" + path + "' is the " + object.kind + " of block " + object.block + ", not the " + kind +
                         " of block " + block,
                     "the folder of a block has its name");
  }
  ++loaded;
  if (object.call_in_progress != nullptr) *object.call_in_progress = detail::call_in_progress;
  return object;
}

}  // namespace castor::base
