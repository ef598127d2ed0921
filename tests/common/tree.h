#pragma once

#include <string>

/// Absolute folders of the build that a test program belongs to. They are compiled into the main of the tests alone: no
/// other object file depends on where the tree lies, so the compiler cache serves every clone.
namespace castor::test_tree {

/// Returns the folder of the sources.
[[nodiscard]] std::string source_folder();

/// Returns the folder of the build: programs lie in bin/, shared objects of tests in tests/objects/.
[[nodiscard]] std::string build_folder();

}  // namespace castor::test_tree
