#pragma once

#include <string>

/// Where this copy of Castor lies: in an installation or, with the same folders, in a build tree.
namespace castor::base {

/// The folder above bin/ and lib/, absolute: environment variable CASTOR_PREFIX (if it is relative, from the working
/// folder of the first call on), else what find_package(Castor) has told a program that links Castor statically, else
/// as the program or shared library says that holds this code. Without a trailing slash.
[[nodiscard]] std::string prefix();
/// <prefix>/lib, under the name that this build gives it.
[[nodiscard]] std::string library_folder();
/// <prefix>/share/castor: RTL, flows, device headers.
[[nodiscard]] std::string data_folder();
/// The folder of what is made once and kept: RTL objects, programs of experiments, precompiled headers. CASTOR_CACHE,
/// else $XDG_CACHE_HOME/castor, else ~/.cache/castor; need not be there.
[[nodiscard]] std::string cache_folder();

}  // namespace castor::base
