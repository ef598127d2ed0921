// Which mutant the model of all mutants is: asked once, when the model is made.

#include <cstdlib>

extern "C" int castor_mutant_number();

/// The number in the environment variable CASTOR_MUTANT; 0, the RTL as it is, without it.
int castor_mutant_number() {
  const char* const text = std::getenv("CASTOR_MUTANT");
  return text != nullptr ? std::atoi(text) : 0;
}
