#include "castor/base/document.h"
#include "platforms/machines.h"

/// Prints docs/machines.md, or compares it with the given file.
int main(int argc, char** argv) {
  return castor::base::document_main(argc, argv, "castor_machines_document", castor::platforms::machines_document);
}
