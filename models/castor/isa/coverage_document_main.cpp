#include "castor/base/document.h"
#include "castor/isa/coverage.h"

/// Prints docs/ptx-coverage.md, or compares the page with the given file.
int main(int argc, char** argv) {
  return castor::base::document_main(argc, argv, "castor_coverage_document", castor::isa::coverage_markdown);
}
