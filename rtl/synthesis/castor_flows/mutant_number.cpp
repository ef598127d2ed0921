// Selects the active mutant (or fault) of an RTL object that contains all mutants. The RTL calls castor_mutant_number()
// once, when its model is created.

#include <cstdlib>

extern "C" int castor_mutant_number();

/// Returns the number in the environment variable CASTOR_MUTANT. Without the variable it returns 0: no mutant is
/// active.
int castor_mutant_number() {
  const char* const text = std::getenv("CASTOR_MUTANT");
  return text != nullptr ? std::atoi(text) : 0;
}
