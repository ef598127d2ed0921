#include <cstdio>
#include <exception>
#include <string>

#include "castor/isa/coverage.h"

/// Prints docs/ptx-coverage.md, or compares it with the file given: 0 if equal, 1 if not, 2 if the table does not load.
int main(int argc, char** argv) {
  try {
    const std::string text = castor::isa::coverage_markdown();
    if (argc < 2) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      return 0;
    }
    std::string file;
    if (std::FILE* stream = std::fopen(argv[1], "rb")) {
      char buffer[4096];
      for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, stream)) > 0;) file.append(buffer, n);
      std::fclose(stream);
    }
    if (file == text) return 0;
    std::fprintf(stderr, "%s is not what castor_coverage_document prints: write it again\n", argv[1]);
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
