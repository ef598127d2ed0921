# cmake -DOUTPUT=<file.cpp> -DFACTS=<file.json> -DVERSION=<version> -DSOURCE=<tree> "-DFLAVOUR=<text>" "-DOPTIONS=<a|b>"
#       -DLIBDIR=<folder> -DINCLUDEDIR=<folder> -P abi.cmake
# Writes OUTPUT, which defines castor::base::kAbi: the version and a digest of all headers that a shared object of a
# block includes. Writes FACTS, a JSON file with the facts for building such an object: the ABI string, the compiler
# options that every object needs, the library folder below the prefix, and the include folder. FACTS is for the build
# tree (absolute include folder); FACTS.installed is for the installation (INCLUDEDIR).
set(headers "")
foreach(folder IN ITEMS models/castor/base models/castor/twin models/castor/isa models/castor/gpu tb/common)
  file(GLOB_RECURSE found RELATIVE "${SOURCE}" "${SOURCE}/${folder}/*.h")
  list(APPEND headers ${found})
endforeach()
file(GLOB found RELATIVE "${SOURCE}" "${SOURCE}/models/castor/hookup/*.h")
list(APPEND headers ${found})
list(SORT headers)
set(digests "")
foreach(header IN LISTS headers)
  file(SHA256 "${SOURCE}/${header}" digest)
  string(APPEND digests "${header} ${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
string(SUBSTRING "${digest}" 0 12 digest)
set(abi "castor ${VERSION} headers ${digest}${FLAVOUR}")
file(WRITE "${OUTPUT}"
"#include \"castor/base/shared_object.h\"

namespace castor::base {

const char* const kAbi = \"${abi}\";

}  // namespace castor::base
")

string(REPLACE "|" "\", \"" options "${OPTIONS}")
if(NOT options STREQUAL "")
  set(options "\"${options}\"")
endif()
foreach(place IN ITEMS "|${SOURCE}/models" ".installed|${INCLUDEDIR}")
  string(REGEX MATCH "^([^|]*)\\|(.*)$" unused "${place}")
  file(WRITE "${FACTS}${CMAKE_MATCH_1}"
"{
  \"abi\": \"${abi}\",
  \"libdir\": \"${LIBDIR}\",
  \"include\": \"${CMAKE_MATCH_2}\",
  \"options\": [${options}]
}
")
endforeach()
