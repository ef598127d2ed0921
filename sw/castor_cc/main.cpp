#include <cstdio>
#include <iostream>
#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

#include "castor/base/terminal.h"
#include "castor_cc/driver.h"
#include "castor_cc/process.h"

namespace {

/// Line-buffered standard error that colours the words "error" and "warning". The compilers write their messages to
/// castor-cc and not to a terminal, so they do not colour them.
class ColouredLines final : public std::streambuf {
 public:
  ~ColouredLines() override { write(); }

 private:
  int_type overflow(int_type c) override {
    if (c == traits_type::eof()) return 0;
    line_ += traits_type::to_char_type(c);
    if (c == '\n') write();
    return c;
  }
  void write() {
    std::fputs(castor::base::with_coloured_word(line_, true).c_str(), stderr);
    line_.clear();
  }

  std::string line_;
};

}  // namespace

int main(int argc, char** argv) {
  castor::castor_cc::defer_signals();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (!castor::base::stderr_has_colour()) return castor::castor_cc::run(arguments, std::cout, std::cerr);
  ColouredLines lines;
  std::ostream err(&lines);
  return castor::castor_cc::run(arguments, std::cout, err);
}
