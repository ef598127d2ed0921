#include "castor/gpu/hook_check.h"

#include <cstdarg>
#include <cstdio>
#include <string>

#include "castor/base/error.h"

namespace castor::gpu {

void hook_failed(const char* block, Cycle cycle, const char* format, ...) {
  char text[4000];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const std::string name = block;
  throw base::Error((name.empty() ? "" : "block " + name + ": ") + ("core cycle " + std::to_string(cycle)) + ", " +
                    text);
}

}  // namespace castor::gpu
