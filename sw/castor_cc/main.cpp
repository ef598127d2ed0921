#include <iostream>
#include <string>
#include <vector>

#include "castor_cc/driver.h"
#include "castor_cc/process.h"

int main(int argc, char** argv) {
  castor::castor_cc::defer_signals();
  return castor::castor_cc::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), std::cout, std::cerr);
}
