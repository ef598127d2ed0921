#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/environment.h"
#include "tests/common/selection.h"

/// main() of every test program. GoogleTest's own main() is not used: its library must not be linked together with
/// SystemC's library, which defines a main(), too.
int main(int argc, char** argv) {
  use_build_tree();
  const TestFolder folder;
  testing::InitGoogleMock(&argc, argv);
  select_source(argc, argv);
  return RUN_ALL_TESTS();
}
