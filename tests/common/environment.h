#pragma once

#include <cstdlib>

/// What a test program run by hand finds as one run by ctest does: the programs of its build tree, the blocks of the
/// tests, and the cache of RTL that is built for them.
inline void use_build_tree() {
  ::setenv("CASTOR_PREFIX", CASTOR_BINARY_DIR, 0);
  ::setenv("CASTOR_BLOCKS", CASTOR_BINARY_DIR "/tests/blocks", 0);
  ::setenv("CASTOR_CACHE", CASTOR_BINARY_DIR "/cache", 0);
}
