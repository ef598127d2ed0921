# Finds a SystemC that was installed without a CMake package, as on Debian, and defines the target SystemC::systemc.

find_path(SystemC_INCLUDE_DIR systemc HINTS "$ENV{SYSTEMC_HOME}/include")
find_library(SystemC_LIBRARY systemc HINTS "$ENV{SYSTEMC_HOME}/lib" "$ENV{SYSTEMC_HOME}/lib-linux64")
mark_as_advanced(SystemC_INCLUDE_DIR SystemC_LIBRARY)

if(SystemC_INCLUDE_DIR AND EXISTS "${SystemC_INCLUDE_DIR}/sysc/kernel/sc_ver.h")
  file(STRINGS "${SystemC_INCLUDE_DIR}/sysc/kernel/sc_ver.h" systemc_version_lines
       REGEX "#define SC_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
  string(REGEX REPLACE ".*MAJOR +([0-9]+).*MINOR +([0-9]+).*PATCH +([0-9]+).*" "\\1.\\2.\\3" SystemC_VERSION
                       "${systemc_version_lines}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR
                                  VERSION_VAR SystemC_VERSION)

if(SystemC_FOUND AND NOT TARGET SystemC::systemc)
  find_package(Threads REQUIRED)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION "${SystemC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SystemC_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
