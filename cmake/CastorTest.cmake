# How tests enter the build. One test of ctest is one process, its label is the kind (the folder in tests/), and each has
# a timeout, so that no test can hang the rest.

set(CASTOR_TEST_RESULTS "${PROJECT_BINARY_DIR}/test-results")
file(MAKE_DIRECTORY "${CASTOR_TEST_RESULTS}")

# Tests of RTL build it when they need it, into a cache of their own.
option(CASTOR_TEST_RTL "Test the RTL of the blocks (needs Verilator)" ON)
if(CASTOR_TEST_RTL)
  find_program(CASTOR_VERILATOR verilator)
  mark_as_advanced(CASTOR_VERILATOR)
  if(NOT CASTOR_VERILATOR)
    message(STATUS "Verilator was not found: the RTL of the blocks is not tested")
    set(CASTOR_TEST_RTL OFF)
  endif()
endif()

add_custom_target(castor_fuzzers)  # all fuzz targets

# castor_test(<name> KIND <kind> SOURCES <file>... [LIBS <target>...] [ARGS <arg>...] [TIMEOUT <seconds>]
#             [ENVIRONMENT <VAR=value>...] [DEPENDS <target>...] [ISOLATED])
#
# One GoogleTest program. Sources are relative to tests/<kind>/, where the calling <room>.cmake lies, or absolute.
# DEPENDS names targets that the program starts as processes. ISOLATED runs every case in a process of its own
# (tests/common/isolated_main.cpp), for cases that elaborate a SystemC model each; TIMEOUT limits the whole program.
function(castor_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ISOLATED" "KIND;TIMEOUT" "SOURCES;LIBS;ARGS;ENVIRONMENT;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_KIND OR NOT arg_SOURCES)
    message(FATAL_ERROR "castor_test(${name}): needs KIND and SOURCES; unknown: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  castor_test_program_(${name})
  castor_test_can_see_changes_(${name} wanted)
  if(NOT wanted)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGS})
  castor_test_properties_(${name} "${arg_KIND}" "${arg_TIMEOUT}"
    "GTEST_OUTPUT=json:${CASTOR_TEST_RESULTS}/${name}.json;${arg_ENVIRONMENT}")
endfunction()

# castor_tests(<name> KIND <kind> SOURCES <file>... [LIBS <target>...] [TIMEOUT <seconds>] [ENVIRONMENT <VAR=value>...]
#              [DEPENDS <target>...] [ISOLATED])
#
# The same for sources with the same libraries: one program, compiled several sources at a time, which takes less than half
# as long, and a test of ctest for each source, called after its path ("lax/engine_pick_test.cpp" is lax_engine_pick_test).
# Each source has a namespace of its own, so that its names meet no others.
function(castor_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ISOLATED" "KIND;TIMEOUT" "SOURCES;LIBS;ENVIRONMENT;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_KIND OR NOT arg_SOURCES)
    message(FATAL_ERROR "castor_tests(${name}): needs KIND and SOURCES; unknown: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  castor_test_program_(${name})
  castor_unity(${name} 6)
  castor_test_can_see_changes_(${name} wanted)
  if(NOT wanted)
    return()
  endif()
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(REMOVE_EXTENSION source OUTPUT_VARIABLE path)
    string(REPLACE "/" "_" test "${path}")
    add_test(NAME ${test} COMMAND ${name} --castor_source=${path})
    castor_test_properties_(${test} "${arg_KIND}" "${arg_TIMEOUT}"
      "GTEST_OUTPUT=json:${CASTOR_TEST_RESULTS}/${test}.json;${arg_ENVIRONMENT}")
  endforeach()
endfunction()

# Whether a program has to run. Where nothing but blocks has changed (CASTOR_TEST_HOUSE=with_blocks), the unit tests of the
# house that link neither a block nor what plugs blocks in give what they gave: their program is built only if it is asked
# for by name.
function(castor_test_can_see_changes_ name result)
  set(${result} YES PARENT_SCOPE)
  if(NOT CASTOR_TEST_HOUSE STREQUAL "with_blocks" OR NOT castor_list_of_house OR NOT arg_KIND STREQUAL "unit")
    return()
  endif()
  foreach(block IN LISTS castor_blocks ITEMS hookup workloads)
    if("castor_${block}" IN_LIST arg_LIBS)
      return()
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL YES)
  set(${result} NO PARENT_SCOPE)
endfunction()

# The program of castor_test or castor_tests, whose arguments it reads.
function(castor_test_program_ name)
  set(sources)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/tests/${arg_KIND}")
    list(APPEND sources "${source}")
  endforeach()
  add_executable(${name} ${sources})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/${arg_KIND}")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/models" "${PROJECT_SOURCE_DIR}/sw"
                                             "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${name} PRIVATE
    CASTOR_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CASTOR_BINARY_DIR="${PROJECT_BINARY_DIR}")
  set(main castor_test_main)
  if(arg_ISOLATED)
    set(main castor_test_isolated_main)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBS} ${main} castor_options)
  # The checks of a test's own code take longer to optimise than to run; what is tested keeps its optimisation.
  if(CASTOR_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  else()
    castor_cold(${name})
  endif()
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
  castor_test_needs_(${arg_KIND} ${name})
  castor_test_is_checked_for_leaks_(${name})
endfunction()

# Tests of a program of a build with sanitizers go through a script that knows when the leak checker itself has failed
# (add_test starts what CMake takes for an emulator).
function(castor_test_is_checked_for_leaks_ program)
  if(CASTOR_SANITIZE AND TARGET ${program})
    set_target_properties(${program} PROPERTIES
      CROSSCOMPILING_EMULATOR "${PROJECT_SOURCE_DIR}/tests/common/leaks_checked.sh")
  endif()
endfunction()

# castor_script_test(<name> KIND <kind> COMMAND <command>... [TIMEOUT <seconds>] [ENVIRONMENT <VAR=value>...])
#
# A test that is a command: it passes if the command returns 0.
function(castor_script_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "KIND;TIMEOUT" "COMMAND;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_KIND OR NOT arg_COMMAND)
    message(FATAL_ERROR "castor_script_test(${name}): needs KIND and COMMAND; unknown: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  castor_test_needs_(${arg_KIND} ${arg_COMMAND})
  list(GET arg_COMMAND 0 program)
  castor_test_is_checked_for_leaks_(${program})
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  castor_test_properties_(${name} "${arg_KIND}" "${arg_TIMEOUT}" "${arg_ENVIRONMENT}")
endfunction()

# castor_lockstep_test(<block> [RTL <folder>] [TB <folder>] [SEQUENCES <name>...] [SETS <name>...] [CYCLES <number>])
#
# What every block of castor_block must pass: model against RTL for CYCLES cycles (default 200000) at the parameter SETS
# (default: minimum, odd, default and large), with each of the sequences (default: the block's first), the description of
# its ports against the RTL and the tables in docs/blocks/<block>.md, and its probes against the registers of the RTL.
# Folders as in castor_block.
function(castor_lockstep_test block)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RTL;TB;CYCLES" "SEQUENCES;SETS")
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
        TIMEOUT 600
        COMMAND castor cosim ${block} --params ${set} --cycles ${arg_CYCLES} ${option}
                --dump "${CASTOR_TEST_RESULTS}/lockstep_${block}_${set}${suffix}")
    endforeach()
  endforeach()
  castor_script_test(ports_of_${block}_agree
    KIND lockstep
    TIMEOUT 120
    COMMAND python3 "${PROJECT_SOURCE_DIR}/tests/lockstep/port_check.py" "${CASTOR_VERILATOR}"
            "$<TARGET_FILE:castor>" "${arg_RTL}" "${arg_TB}" ${block})
  castor_script_test(registers_of_${block}_are_probes
    KIND lockstep
    TIMEOUT 120
    COMMAND python3 -B "${PROJECT_SOURCE_DIR}/tests/lockstep/probe_check.py" "${CASTOR_VERILATOR}" "${arg_RTL}" "${arg_TB}"
            ${block})
  set(document "${PROJECT_SOURCE_DIR}/docs/blocks/${block}.md")
  if(EXISTS "${document}")
    castor_script_test(tables_of_${block}_are_up_to_date
      KIND lockstep
      COMMAND python3 "${PROJECT_SOURCE_DIR}/tests/lockstep/block_tables.py" "$<TARGET_FILE:castor>"
              "${document}" ${block})
  endif()
  castor_test_needs_(lockstep castor castor_bench_${block})
endfunction()

# castor_fuzz(<name> SOURCES <file>... [LIBS <target>...] FOLLOW <target>... CORPUS <folder> [TIMEOUT <seconds>])
#
# A fuzz target (LLVMFuzzerTestOneInput). With CASTOR_BUILD_FUZZ it is linked with libFuzzer, which follows the branches of the
# targets behind FOLLOW; in every other build with a small driver that replays the corpus, so that what was once found
# stays fixed under every compiler.
function(castor_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS;TIMEOUT" "SOURCES;LIBS;FOLLOW")
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
  # Where the corpus lies, for whoever runs the target for longer than a test does.
  file(WRITE "${PROJECT_BINARY_DIR}/tests/fuzz/${name}.corpus" "${arg_CORPUS}\n")
  if(CASTOR_BUILD_FUZZ)
    foreach(target IN LISTS arg_FOLLOW)
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endforeach()
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${name} COMMAND ${name} -runs=0 "${arg_CORPUS}")
  else()
    target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/common/replay_corpus.cpp")
    add_test(NAME ${name} COMMAND ${name} "${arg_CORPUS}")
  endif()
  castor_test_properties_(${name} fuzz "${arg_TIMEOUT}" "")
endfunction()

# The target castor_<kind>_tests builds all programs of one kind.
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

function(castor_test_properties_ name kind timeout environment)
  if(NOT timeout)
    set(timeout 60)
  endif()
  if(CASTOR_SANITIZE OR CASTOR_COVERAGE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    math(EXPR timeout "${timeout} * 5")
  endif()
  # Programs of the build tree, tests' own blocks, and RTL that is built for tests.
  list(APPEND environment "CASTOR_CACHE=${PROJECT_BINARY_DIR}/cache")
  if(NOT kind STREQUAL "install")
    list(APPEND environment "CASTOR_BLOCKS=${PROJECT_BINARY_DIR}/tests/blocks")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${kind}" TIMEOUT ${timeout} ENVIRONMENT "${environment}")
endfunction()
