#include <castor/base/error.h>

#include <string>

int main() {
  try {
    throw castor::base::InputError({"machine.yaml", 3, 7}, "sm.count is 0", "give 1 or more");
  } catch (const castor::base::Error& error) {
    return std::string(error.what()).find("machine.yaml:3:7") == 0 ? 0 : 1;
  }
}
