# cmake -DOUTPUT=<file.cpp> -DVERSION=<version> -DSOURCE=<tree> "-DFLAVOUR=<text>" -P abi.cmake
# Writes castor::base::kAbi: the version, and a digest of all headers that a shared object of a block sees.
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
file(WRITE "${OUTPUT}"
"#include \"castor/base/shared_object.h\"

namespace castor::base {

const char* const kAbi = \"castor ${VERSION} headers ${digest}${FLAVOUR}\";

}  // namespace castor::base
")
