#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/environment.h"
#include "tests/common/selection.h"

/// The main of every test program. GoogleTest's own is not used: it comes in a library that must not meet SystemC's,
/// which brings a main too.
int main(int argc, char** argv) {
  use_build_tree();
  const TestFolder folder;
  testing::InitGoogleMock(&argc, argv);
  select_source(argc, argv);
  return RUN_ALL_TESTS();
}
