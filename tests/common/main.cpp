#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

/// The main of every test program. GoogleTest's own is not used: it comes in a library that must not meet SystemC's,
/// which brings a main too.
int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  setenv("CASTOR_PREFIX", CASTOR_BINARY_DIR, 0);  // tests lie in no folder of an installation
  return RUN_ALL_TESTS();
}
