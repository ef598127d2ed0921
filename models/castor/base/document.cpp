#include "castor/base/document.h"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>

namespace castor::base {

int document_main(int argc, char** argv, const char* program, const std::function<std::string()>& text) {
  try {
    const std::string document = text();
    if (argc < 2) {
      std::fwrite(document.data(), 1, document.size(), stdout);
      return 0;
    }
    std::ifstream stream(argv[1], std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(stream), {}};
    if (file == document) return 0;
    std::fprintf(stderr, "%s is not what %s prints: write it again\n", argv[1], program);
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

}  // namespace castor::base
