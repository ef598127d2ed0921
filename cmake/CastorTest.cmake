# Functions that add tests. Each ctest test is one process; its label is the kind, which is the name of a folder in
# tests/. Compilers, linkers and tests run under GNU time, which appends their CPU seconds to costs-of-build.txt in the
# build folder and to test-results/costs.txt. tests/costs.py reads both files.

set(CASTOR_TEST_RESULTS "${PROJECT_BINARY_DIR}/test-results")
file(MAKE_DIRECTORY "${CASTOR_TEST_RESULTS}")

# Wall time in seconds after which ctest ends a test as hanging. No test comes near it, even on a loaded machine.
set(CASTOR_TEST_HANG_SECONDS 3600)

# Most unit tests run in one build only, clang with sanitizers. Tests marked EVERY_COMPILER run in every build: their
# result depends on the compiler, or they take minutes under sanitizers. With sanitizers such a test runs one case in
# CASTOR_TEST_SANITIZED_SHARE, and some of its cases search less (tests/common/sanitized.h).
set(CASTOR_TEST_UNIT all CACHE STRING "Unit tests: all, or compiler, those that every compiler has to pass")
set_property(CACHE CASTOR_TEST_UNIT PROPERTY STRINGS all compiler)
set(CASTOR_TEST_SANITIZED_SHARE 6 CACHE STRING "With sanitizers one of so many cases of EVERY_COMPILER; 1: all")

find_program(CASTOR_GNU_TIME time)
mark_as_advanced(CASTOR_GNU_TIME)
if(CASTOR_GNU_TIME AND PROJECT_IS_TOP_LEVEL)
  set(label_COMPILE "<TARGET_NAME>")
  set(label_LINK "<TARGET_NAME>")
  set(label_CUSTOM commands)
  foreach(rule IN ITEMS COMPILE LINK CUSTOM)
    set_property(GLOBAL PROPERTY RULE_LAUNCH_${rule}
      "\"${CASTOR_GNU_TIME}\" --quiet --append --output \"${PROJECT_BINARY_DIR}/costs-of-build.txt\" --format \"${label_${rule}} %U %S\"")
  endforeach()
endif()

# Reads the CPU seconds of each test that tests/costs.py recorded. ctest starts the longest tests first.
set(castor_test_costs "${PROJECT_SOURCE_DIR}/tests/costs.csv")
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${castor_test_costs}")
file(STRINGS "${castor_test_costs}" castor_test_cost_lines REGEX "^run,")
foreach(line IN LISTS castor_test_cost_lines)
  if(line MATCHES "^run,([^,]+),([0-9.]+)")
    set(castor_test_cost_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
  endif()
endforeach()

# Replaces Python3_EXECUTABLE by the interpreter's own path. A version manager's wrapper script would take longer than
# many tests.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import sys; print(sys.executable)"
  OUTPUT_VARIABLE Python3_EXECUTABLE OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# Tests of RTL verilate it on demand, into the build folder's own cache.
option(CASTOR_TEST_RTL "Test the RTL of the blocks (needs Verilator)" ON)
if(CASTOR_TEST_RTL)
  find_program(CASTOR_VERILATOR verilator)
  mark_as_advanced(CASTOR_VERILATOR)
  if(NOT CASTOR_VERILATOR)
    message(STATUS "Verilator was not found: the RTL of the blocks is not tested")
    set(CASTOR_TEST_RTL OFF)
  endif()
endif()

add_custom_target(castor_fuzzers)  # builds all fuzz targets

# castor_test(<name> KIND <kind> SOURCES <file>... [LIBS <target>...] [ARGS <arg>...] [ENVIRONMENT <VAR=value>...]
#             [DEPENDS <target>...] [ISOLATED] [EVERY_COMPILER])
#
# Adds one GoogleTest program as one test. Sources are absolute, or relative to tests/<kind>/.
# DEPENDS names targets that the program starts as processes. ISOLATED runs every case in a process of its own
# (tests/common/isolated_main.cpp), for cases that elaborate a SystemC model each. EVERY_COMPILER: see CASTOR_TEST_UNIT.
function(castor_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ISOLATED;EVERY_COMPILER" "KIND" "SOURCES;LIBS;ARGS;ENVIRONMENT;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_KIND OR NOT arg_SOURCES)
    message(FATAL_ERROR "castor_test(${name}): needs KIND and SOURCES; unknown: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  castor_test_program_(${name})
  if(castor_test_wanted_)
    castor_add_cases_(${name} ${arg_ARGS})
  endif()
endfunction()

# castor_tests(<name> KIND <kind> SOURCES <file>... [SHARED <file>...] [LIBS <target>...] [ENVIRONMENT <VAR=value>...]
#              [DEPENDS <target>...] [ISOLATED] [EVERY_COMPILER])
#
# Adds one GoogleTest program from several sources that need the same libraries, and one ctest test per source. A test
# is named after its source ("lax/engine_pick_test.cpp" gives lax_engine_pick_test). Several sources are compiled
# together, which takes less than half the time; so each source needs a namespace of its own. SHARED sources have no
# test cases (a reference model, for example). The other arguments are those of castor_test.
function(castor_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ISOLATED;EVERY_COMPILER" "KIND" "SOURCES;SHARED;LIBS;ENVIRONMENT;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_KIND OR NOT arg_SOURCES)
    message(FATAL_ERROR "castor_tests(${name}): needs KIND and SOURCES; unknown: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  castor_test_program_(${name})
  castor_unity(${name} 20)
  list(TRANSFORM arg_SHARED PREPEND "${PROJECT_SOURCE_DIR}/tests/${arg_KIND}/")
  target_sources(${name} PRIVATE ${arg_SHARED})
  if(NOT castor_test_wanted_)
    return()
  endif()
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(REMOVE_EXTENSION source OUTPUT_VARIABLE path)
    string(REPLACE "/" "_" test "${path}")
    castor_add_cases_(${test} --castor_source=${path})
  endforeach()
endfunction()

# castor_test_object(<target> <name> SOURCES <file>... [LIBS <target>...])
#
# Builds tests/objects/<name>.so in the build folder, a shared object that a test loads. Sources are absolute.
function(castor_test_object target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LIBS")
  add_library(${target} MODULE EXCLUDE_FROM_ALL ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/objects")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE ${arg_LIBS} castor_options)
endfunction()

# Precompiles the headers of GoogleTest, SystemC and the standard library for all test programs; they are half of what
# the compiler's front end reads. Variants: "_systemc", and "" without SystemC, whose header makes a program need its
# library.
function(castor_test_headers_ variant)
  set(name castor_test_headers${variant})
  if(TARGET ${name})
    return()
  endif()
  set(systemc)
  set(cold)
  if(variant STREQUAL "_systemc")
    set(systemc <systemc> <tlm>)
    set(cold RUNS_BRIEFLY)
  endif()
  # The precompiled headers belong to a program like the tests, because both must be compiled with the same options.
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp" CONTENT
    "int sc_main(int, char**);\nint sc_main(int, char**) { return 0; }\nint main() {}\n")
  add_executable(${name} EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gmock castor_options)
  if(systemc)
    target_link_libraries(${name} PRIVATE SystemC::systemc)
  endif()
  castor_cold(${name} ${cold})
  # Without time stamps in the precompiled header, a compiler cache can serve it.
  target_compile_options(${name} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  target_precompile_headers(${name} PRIVATE
    <gmock/gmock.h> <gtest/gtest.h> ${systemc} <algorithm> <array> <cstdint> <deque> <filesystem> <fstream> <functional>
    <map> <memory> <optional> <random> <regex> <set> <sstream> <string> <unordered_map> <vector>)
endfunction()

# Creates the program of castor_test or castor_tests and reads the arguments of the caller. Sets castor_test_wanted_ to
# YES if this build runs the test, else to NO.
function(castor_test_program_ name)
  set(wanted YES)
  if(arg_KIND STREQUAL "unit" AND CASTOR_TEST_UNIT STREQUAL "compiler" AND NOT arg_EVERY_COMPILER)
    set(wanted NO)
  endif()
  set(castor_test_wanted_ ${wanted} PARENT_SCOPE)
  set(sources)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/tests/${arg_KIND}")
    list(APPEND sources "${source}")
  endforeach()
  add_executable(${name} ${sources})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/${arg_KIND}")
  if(NOT wanted)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL YES)
  endif()
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/models" "${PROJECT_SOURCE_DIR}/sw"
                                             "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}")
  set(main castor_test_main)
  if(arg_ISOLATED)
    set(main castor_test_isolated_main)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBS} ${main} castor_options)
  # The code of a test is compiled with low optimisation (castor_cold); the libraries under test keep theirs. A test of
  # a whole GPU gets -O0, because its own code takes no time beside the GPU. Reference models of blocks and their
  # stimulus do take time, so other tests get -O1.
  set(variant "")
  set(cold "")
  if("${arg_LIBS}" MATCHES "castor_(platforms|gpu|runtime|workloads|timing_rig)|SystemC")
    set(variant "_systemc")
    set(cold RUNS_BRIEFLY)
  endif()
  castor_cold(${name} ${cold})
  castor_test_headers_("${variant}")
  target_precompile_headers(${name} REUSE_FROM castor_test_headers${variant})
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
  if(wanted)
    castor_test_needs_(${arg_KIND} ${name})
  endif()
endfunction()

# castor_script_test(<name> KIND <kind> COMMAND <command>... [ENVIRONMENT <VAR=value>...])
#
# Adds a test that runs a command. The test passes if the command returns 0.
function(castor_script_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "KIND" "COMMAND;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_KIND OR NOT arg_COMMAND)
    message(FATAL_ERROR "castor_script_test(${name}): needs KIND and COMMAND; unknown: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  castor_test_needs_(${arg_KIND} ${arg_COMMAND})
  castor_add_test_(${name} ${arg_KIND} "${arg_ENVIRONMENT}" ${arg_COMMAND})
endfunction()

# castor_runs_over_sanitizers(<test>...)
#
# Adds the label "sanitized" to tests of CUDA programs. tests/sanitized_programs.sh runs the tests with this label on
# the runtime library built with sanitizers.
function(castor_runs_over_sanitizers)
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS sanitized)
endfunction()

# castor_lockstep_test(<block> [RTL <folder>] [TB <folder>] [SEQUENCES <name>...] [SETS <name>...] [CYCLES <number>]
#                      [RUNS_ALONE])
#
# Adds the lockstep tests that every block of castor_block must pass:
# - model against RTL for CYCLES cycles (default 200000), at each of the parameter SETS (default: minimum, odd, default
#   and large), with each of the SEQUENCES (default: the first sequence of the block);
# - the block's port list against the RTL and against the tables in docs/blocks/<block>.md;
# - the block's probes against the registers of the RTL.
# RUNS_ALONE adds the lockstep runs only. RTL and TB are folders as in castor_block.
function(castor_lockstep_test block)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RUNS_ALONE" "RTL;TB;CYCLES" "SEQUENCES;SETS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "castor_lockstep_test(${block}): unknown: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT CASTOR_TEST_RTL OR NOT TARGET castor)
    return()
  endif()
  foreach(default IN ITEMS "RTL|${PROJECT_SOURCE_DIR}/rtl/${block}" "TB|${PROJECT_SOURCE_DIR}/tb/${block}" "CYCLES|200000"
                           "SEQUENCES|-" "SETS|minimum;odd;default;large")
    string(REGEX MATCH "^([A-Z]+)\\|(.*)$" unused "${default}")
    if(NOT arg_${CMAKE_MATCH_1})
      set(arg_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  foreach(sequence IN LISTS arg_SEQUENCES)
    set(option "")
    set(suffix "")
    if(NOT sequence STREQUAL "-")
      set(option --sequence ${sequence})
      set(suffix "_${sequence}")
    endif()
    foreach(set IN LISTS arg_SETS)
      castor_script_test(lockstep_${block}_${set}${suffix}
        KIND lockstep
        COMMAND castor cosim ${block} --params ${set} --cycles ${arg_CYCLES} ${option}
                --dump "${CASTOR_TEST_RESULTS}/lockstep_${block}_${set}${suffix}")
    endforeach()
  endforeach()
  if(arg_RUNS_ALONE)
    return()
  endif()
  castor_script_test(ports_of_${block}_agree
    KIND lockstep
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/lockstep/port_check.py" "${CASTOR_VERILATOR}"
            "$<TARGET_FILE:castor>" "${arg_RTL}" ${block})
  castor_script_test(registers_of_${block}_are_probes
    KIND lockstep
    ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/lockstep/probe_check.py" "${CASTOR_VERILATOR}" "${arg_RTL}" "${arg_TB}"
            ${block})
  set(document "${PROJECT_SOURCE_DIR}/docs/blocks/${block}.md")
  if(EXISTS "${document}")
    castor_script_test(tables_of_${block}_are_up_to_date
      KIND lockstep
      COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/lockstep/block_tables.py" "$<TARGET_FILE:castor>"
              "${document}" ${block})
  endif()
  castor_test_needs_(lockstep castor castor_bench_${block})
endfunction()

# castor_fuzz(<name> SOURCES <file>... [LIBS <target>...] FOLLOW <target>... CORPUS <folder>)
#
# Adds a fuzz target (LLVMFuzzerTestOneInput). With CASTOR_BUILD_FUZZ it is linked with libFuzzer, and the targets named
# by FOLLOW are instrumented for branch coverage. Every other build links a small driver that replays the corpus, so
# that faults found earlier are tested with every compiler.
function(castor_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS" "SOURCES;LIBS;FOLLOW")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_CORPUS OR NOT arg_SOURCES OR NOT arg_FOLLOW)
    message(FATAL_ERROR "castor_fuzz(${name}): needs SOURCES, FOLLOW and CORPUS; unknown: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(base "${PROJECT_SOURCE_DIR}/tests/fuzz")
  cmake_path(ABSOLUTE_PATH arg_CORPUS BASE_DIRECTORY "${base}")
  set(sources)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${base}")
    list(APPEND sources "${source}")
  endforeach()
  add_executable(${name} ${sources})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/fuzz")
  target_link_libraries(${name} PRIVATE ${arg_LIBS} castor_options)
  add_dependencies(castor_fuzzers ${name})
  # Writes the path of the corpus to a file, for longer runs of the fuzz target than the test.
  file(WRITE "${PROJECT_BINARY_DIR}/tests/fuzz/${name}.corpus" "${arg_CORPUS}\n")
  if(CASTOR_BUILD_FUZZ)
    foreach(target IN LISTS arg_FOLLOW)
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endforeach()
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    castor_add_test_(${name} fuzz "" ${name} -runs=0 "${arg_CORPUS}")
  else()
    target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/common/replay_corpus.cpp")
    castor_add_test_(${name} fuzz "" ${name} "${arg_CORPUS}")
  endif()
endfunction()

# Makes the target castor_<kind>_tests, which builds all test programs of one kind, depend on the targets among ARGN.
function(castor_test_needs_ kind)
  if(NOT TARGET castor_${kind}_tests)
    add_custom_target(castor_${kind}_tests)
  endif()
  foreach(word IN LISTS ARGN)
    if(TARGET ${word})
      add_dependencies(castor_${kind}_tests ${word})
    endif()
  endforeach()
endfunction()

# Adds the ctest test <test>, which runs the program of castor_test or castor_tests with the arguments ARGN. Reads the
# variables of the caller.
function(castor_add_cases_ test)
  set(environment "GTEST_OUTPUT=json:${CASTOR_TEST_RESULTS}/${test}.json" ${arg_ENVIRONMENT})
  if(CASTOR_SANITIZE AND arg_EVERY_COMPILER)
    list(APPEND environment GTEST_TOTAL_SHARDS=${CASTOR_TEST_SANITIZED_SHARE} GTEST_SHARD_INDEX=0)
  endif()
  castor_add_test_(${test} ${arg_KIND} "${environment}" ${name} ${ARGN})
endfunction()

# Puts the folder of the Python interpreter first in PATH. Where `python3` is a version manager's wrapper script, each
# start would take half a second longer.
get_filename_component(castor_test_python "${Python3_EXECUTABLE}" DIRECTORY)
set(castor_test_python "PATH=path_list_prepend:${castor_test_python}")

# Calls add_test with the properties that every test has. In a sanitizer build, programs of the build run under
# tests/common/leaks_checked.sh, which repeats a test if the leak checker itself crashed.
function(castor_add_test_ name kind environment program)
  set(command)
  if(CASTOR_GNU_TIME)
    list(APPEND command "${CASTOR_GNU_TIME}" --quiet --append --output "${CASTOR_TEST_RESULTS}/costs.txt" --format "${name} %U %S")
  endif()
  if(TARGET ${program})
    if(CASTOR_SANITIZE)
      list(APPEND command "${PROJECT_SOURCE_DIR}/tests/common/leaks_checked.sh")
    endif()
    list(APPEND command "$<TARGET_FILE:${program}>")
  else()
    list(APPEND command "${program}")
  endif()
  add_test(NAME ${name} COMMAND ${command} ${ARGN})
  # Tests use a cache of RTL objects in the build folder, and the blocks that exist for tests only.
  list(APPEND environment "CASTOR_CACHE=${PROJECT_BINARY_DIR}/cache")
  # Large pages where the kernel gives them on request: a test is often a process that builds a whole GPU and ends, and
  # spends a quarter of its time on page faults. The C library's own, so programs with sanitizers do not heed it.
  list(APPEND environment "GLIBC_TUNABLES=glibc.malloc.hugetlb=1")
  if(CASTOR_TEST_MATRIX)
    list(APPEND environment "CASTOR_TEST_MATRIX=1")
  endif()
  if(NOT kind STREQUAL "install")
    list(APPEND environment "CASTOR_BLOCKS=${PROJECT_BINARY_DIR}/tests/blocks")
  endif()
  set_tests_properties(${name} PROPERTIES
    LABELS "${kind}" TIMEOUT ${CASTOR_TEST_HANG_SECONDS} ENVIRONMENT "${environment}"
    ENVIRONMENT_MODIFICATION "${castor_test_python}")
  if(DEFINED castor_test_cost_${name})
    set_tests_properties(${name} PROPERTIES COST ${castor_test_cost_${name}})
  endif()
endfunction()
