#pragma once

#include <string>

/// Folders of this copy of Castor, which is an installation or a build tree with the same folders.
namespace castor::base {

/// Returns the absolute path of the folder above bin/ and lib/, without a trailing slash. The first of these that is
/// known counts: environment variable CASTOR_PREFIX (relative to the working folder of the first call); the prefix that
/// find_package(Castor) compiles into a program that links Castor statically; the place of the program or shared
/// library that holds this code.
[[nodiscard]] std::string prefix();
/// Returns <prefix>/lib, or the name that this build gives to lib.
[[nodiscard]] std::string library_folder();
/// Returns <prefix>/share/castor: RTL, flows, device headers.
[[nodiscard]] std::string data_folder();
/// Returns the folder for files that are built once and reused: RTL objects, programs of experiments, precompiled
/// headers. The folder is CASTOR_CACHE, else $XDG_CACHE_HOME/castor, else ~/.cache/castor; it may not exist yet.
[[nodiscard]] std::string cache_folder();

}  // namespace castor::base
