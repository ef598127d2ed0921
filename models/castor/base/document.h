#pragma once

#include <functional>
#include <string>

namespace castor::base {

/// Body of a program that prints a generated document, or compares it with the file given as its only argument.
/// Exit code: 0 printed or equal, 1 if the file differs, 2 if `text` throws (message on stderr).
int document_main(int argc, char** argv, const char* program, const std::function<std::string()>& text);

}  // namespace castor::base
