# What every target of the project is compiled with: castor_options (an interface target that is not installed).

add_library(castor_options INTERFACE)
target_compile_features(castor_options INTERFACE cxx_std_17)
# Without -ffp-contract=off two compilers, or two instruction sets, give different bits for a * b + c.
target_compile_options(castor_options INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic)

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CASTOR_CCACHE ccache)
  mark_as_advanced(CASTOR_CCACHE)
  if(CASTOR_CCACHE)
    # Relative paths: another clone, built in a folder of the same name, finds what this one compiled.
    set(cached "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${cached} "${CASTOR_CCACHE}")
    # castor-cc takes the options of clang. What an object is made from stands in its list of dependencies, but for
    # castor-cc itself and the device library.
    if(NOT CASTOR_CC_LAUNCHER)
      set(CASTOR_CC_LAUNCHER ${cached} CCACHE_DEPEND=1 CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK=content
          "CCACHE_EXTRAFILES=${PROJECT_BINARY_DIR}/share/castor/castor_libdevice.bc" "${CASTOR_CCACHE}")
    endif()
  endif()
endif()

# lld links a test program in a third of the time of GNU ld.
find_program(CASTOR_LLD ld.lld)
mark_as_advanced(CASTOR_LLD)
if(CASTOR_LLD)
  target_link_options(castor_options INTERFACE -fuse-ld=lld)
endif()

# Debug builds and those with sanitizers assert that an SM's tick writes nothing that SMs share (base/tick_wall.h).
if(CMAKE_BUILD_TYPE STREQUAL "Debug" OR CASTOR_SANITIZE)
  target_compile_definitions(castor_options INTERFACE CASTOR_TICK_WALLS)
endif()

if(CASTOR_SANITIZE)
  # Callers of a C interface may pass any number where it says an enumeration; the runtime looks at it and refuses it.
  # A shared object of a block has its own copy of what describes a class, and vptr compares where these lie.
  string(JOIN "," without enum vptr ${CASTOR_SANITIZE_WITHOUT})
  target_compile_options(castor_options INTERFACE
    -fsanitize=${CASTOR_SANITIZE} -fno-sanitize=${without} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(castor_options INTERFACE -fsanitize=${CASTOR_SANITIZE})
  # The check of function types compares descriptions too. What is marked for vectors stays scalar with checks in it.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(castor_options INTERFACE -fno-sanitize=function -Wno-pass-failed)
  endif()
endif()

if(CASTOR_BUILD_FUZZ AND NOT (CASTOR_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"))
  message(FATAL_ERROR "CASTOR_BUILD_FUZZ needs clang and sanitizers: the preset asan")
endif()

if(CASTOR_COVERAGE)
  target_compile_options(castor_options INTERFACE --coverage -O0 -g)
  target_link_options(castor_options INTERFACE --coverage)
endif()
