# Defines castor_options, an interface target with the compile and link options of every target of this project. It is
# not installed.

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
    # CCACHE_BASEDIR makes paths relative, so that another clone with a build folder of the same name hits the same
    # cache.
    set(cached "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${cached} "${CASTOR_CCACHE}")
    # castor-cc takes the options of clang. The dependency file of an object lists all its inputs except castor-cc
    # itself (CCACHE_COMPILERCHECK) and the device library (CCACHE_EXTRAFILES).
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

# Debug and sanitizer builds assert that the tick of an SM writes no state that several SMs share (base/tick_wall.h).
if(CMAKE_BUILD_TYPE STREQUAL "Debug" OR CASTOR_SANITIZE)
  target_compile_definitions(castor_options INTERFACE CASTOR_TICK_WALLS)
endif()

if(CASTOR_SANITIZE)
  # enum is off: callers of the CUDA C interface may pass any number as an enumeration, and the runtime rejects bad
  # ones. vptr is off: it compares addresses of type descriptions, and each shared object of a block has its own copy of
  # them.
  string(JOIN "," without enum vptr ${CASTOR_SANITIZE_WITHOUT})
  target_compile_options(castor_options INTERFACE
    -fsanitize=${CASTOR_SANITIZE} -fno-sanitize=${without} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(castor_options INTERFACE -fsanitize=${CASTOR_SANITIZE})
  # The check `function` compares addresses of type descriptions, too. -Wno-pass-failed: loops marked for vectorisation
  # stay scalar because of the checks in them.
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
