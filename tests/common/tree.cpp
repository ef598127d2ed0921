#include "tests/common/tree.h"

std::string castor::test_tree::source_folder() { return CASTOR_SOURCE_DIR; }

std::string castor::test_tree::build_folder() { return CASTOR_BINARY_DIR; }
