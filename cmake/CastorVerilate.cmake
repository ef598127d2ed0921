# From SystemVerilog to twins: Verilator, once per block and parameter set.
#
# castor_block(<name> ...) is all that a block needs; rtl/CMakeLists.txt calls it for every block that it finds.
# castor_verilate(<prefix> ...) is the step below it, for other sources with the same ports, such as netlists.

option(CASTOR_BUILD_RTL "Verilate the RTL of the blocks (needs Verilator)" ON)

set(CASTOR_VERILATE_DIR "${CMAKE_CURRENT_LIST_DIR}")
if(CASTOR_BUILD_RTL)
  find_program(CASTOR_VERILATOR verilator)
  mark_as_advanced(CASTOR_VERILATOR)
  if(NOT CASTOR_VERILATOR)
    message(STATUS "Verilator was not found: blocks are built without RTL")
    set(CASTOR_BUILD_RTL OFF)
  endif()
endif()

# Verilator's runtime, once for all models of a program. Verilated code wants it built with the same options.
if(CASTOR_BUILD_RTL)
  execute_process(COMMAND "${CASTOR_VERILATOR}" --getenv VERILATOR_ROOT
                  OUTPUT_VARIABLE CASTOR_VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(castor_verilator_include "${CASTOR_VERILATOR_ROOT}/include")
  add_library(castor_verilated STATIC
    "${castor_verilator_include}/verilated.cpp"
    "${castor_verilator_include}/verilated_cov.cpp"
    "${castor_verilator_include}/verilated_threads.cpp"
    "${castor_verilator_include}/verilated_vcd_c.cpp")
  target_include_directories(castor_verilated SYSTEM PUBLIC
    "$<BUILD_INTERFACE:${castor_verilator_include}>" "$<BUILD_INTERFACE:${castor_verilator_include}/vltstd>")
  target_compile_definitions(castor_verilated PUBLIC
    VM_COVERAGE=1 VM_SC=0 VM_TRACE=1 VM_TRACE_FST=0 VM_TRACE_VCD=1)
  target_compile_features(castor_verilated PUBLIC cxx_std_17)
  target_link_libraries(castor_verilated PUBLIC Threads::Threads)
  set_target_properties(castor_verilated PROPERTIES EXPORT_NAME verilated POSITION_INDEPENDENT_CODE ON)
  set_property(GLOBAL APPEND PROPERTY CASTOR_LIBRARIES castor_verilated)
endif()

# castor_verilate(<prefix> TOP <module> SOURCES <file>... [PARAMS <Name=Value>...] [OPTIONS <option>...] [DEPENDS <file>...])
#
# Class <prefix> from the sources, in <binary dir>/<prefix>/: <prefix>.h, and <prefix>__ALL.cpp, which includes everything
# that Verilator wrote and is a source of whatever uses the class. OPTIONS come last: --coverage,
# -Wno-fatal. The C++ names of two prefixes do not collide.
function(castor_verilate prefix)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TOP" "SOURCES;PARAMS;OPTIONS;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_TOP OR NOT arg_SOURCES)
    message(FATAL_ERROR "castor_verilate(${prefix}): needs TOP and SOURCES; unknown: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${prefix}")
  list(TRANSFORM arg_PARAMS PREPEND "-G")
  add_custom_command(
    OUTPUT "${folder}/${prefix}__ALL.cpp" "${folder}/${prefix}.h"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${folder}"
    COMMAND
      "${CASTOR_VERILATOR}" --cc --prefix "${prefix}" --Mdir "${folder}" --top-module "${arg_TOP}" -O3 --x-assign unique
      --x-initial unique --assert --unroll-count 256 --output-split 0 --trace --timescale-override 1ps/1ps ${arg_PARAMS}
      ${arg_OPTIONS} ${arg_SOURCES}
    COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${folder}" "-DPREFIX=${prefix}" -P "${CASTOR_VERILATE_DIR}/include_all.cmake"
    DEPENDS ${arg_SOURCES} ${arg_DEPENDS} "${CASTOR_VERILATE_DIR}/include_all.cmake"
    COMMENT "Verilating ${prefix}"
    VERBATIM)
  # -O3 gains nothing on it and takes longer; without optimisation it is a hundred times slower.
  set_source_files_properties("${folder}/${prefix}__ALL.cpp" PROPERTIES COMPILE_OPTIONS "-O2;-w")
endfunction()

# castor_block(<name> [RTL <folder>] [TB <folder>] [PORTS <header>] [ENGINE <header>] [BENCH <header>] [TYPE <C++ type>]
#              [MODEL <target>] [COVERAGE_OF])
#
# A block: its RTL at every set of <RTL>/parameter_sets.json, and the programs that hold it against its model.
#   castor_rtl_<name>     Castor::rtl_<name>: the registry of twin::rtl_sets<Block>(); without Verilator it is empty
#   castor_bench_<name>   the block's entry for `castor cosim` (if MODEL exists), linked with castor_tb_<name> if
#                         tb/<name> makes such a library
#   castor_cosim_<name>   the same as a program of its own
#   castor_cosim_<name>_coverage  on demand: the same over RTL that counts lines and toggles, at the set `odd` if there is one
# Defaults: rtl/<name>, tb/<name>, castor/<name>/ports.h, castor/<name>/engine.h, tb/<name>/bench.h (if it exists),
# castor::<name>::Block, castor_<name>. RTL holds <name>.f (the sources in order, relative to the folder above it),
# <name>.vlt (lint waivers, if any) and parameter_sets.json; TB holds castor_<name>_probe.sv, the top, and if the RTL can be
# moved over idle cycles without clocks, skip.h (castor/twin/rtl.h) and <name>.vlt, which makes public what that sets.
function(castor_block name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RTL;TB;PORTS;ENGINE;BENCH;TYPE;MODEL" "")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "castor_block(${name}): unknown: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(installed NO)
  if(NOT arg_RTL)
    set(installed YES)
  endif()
  foreach(default IN ITEMS "RTL|${PROJECT_SOURCE_DIR}/rtl/${name}" "TB|${PROJECT_SOURCE_DIR}/tb/${name}"
                           "PORTS|castor/${name}/ports.h" "ENGINE|castor/${name}/engine.h" "TYPE|castor::${name}::Block"
                           "MODEL|castor_${name}")
    string(REGEX MATCH "^([A-Z]+)\\|(.*)$" unused "${default}")
    if(NOT arg_${CMAKE_MATCH_1})
      set(arg_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  if(NOT arg_BENCH AND EXISTS "${PROJECT_SOURCE_DIR}/tb/${name}/bench.h")
    set(arg_BENCH "tb/${name}/bench.h")
  endif()

  castor_rtl_library_(${name} "" "")
  if(installed)
    add_library(Castor::rtl_${name} ALIAS castor_rtl_${name})
    set_target_properties(castor_rtl_${name} PROPERTIES EXPORT_NAME rtl_${name})
    set_property(GLOBAL APPEND PROPERTY CASTOR_LIBRARIES castor_rtl_${name})
  endif()

  if(NOT TARGET ${arg_MODEL} OR NOT TARGET castor_tb)
    return()
  endif()
  set(CASTOR_NAME ${name})
  set(CASTOR_ENGINE ${arg_ENGINE})
  set(CASTOR_TYPE ${arg_TYPE})
  set(CASTOR_BENCH_INCLUDE "")
  set(CASTOR_BENCH_TYPE "castor::tb::Bench<${arg_TYPE}>")
  if(arg_BENCH)
    set(CASTOR_BENCH_INCLUDE "#include \"${arg_BENCH}\"")
    string(REGEX REPLACE "Block$" "Bench" CASTOR_BENCH_TYPE "${arg_TYPE}")
  endif()
  configure_file("${CASTOR_VERILATE_DIR}/block_bench.cpp.in" "${CMAKE_CURRENT_BINARY_DIR}/${name}_bench.cpp" @ONLY)
  configure_file("${CASTOR_VERILATE_DIR}/block_main.cpp.in" "${CMAKE_CURRENT_BINARY_DIR}/${name}_main.cpp" @ONLY)
  add_library(castor_bench_${name} STATIC "${CMAKE_CURRENT_BINARY_DIR}/${name}_bench.cpp")
  target_link_libraries(castor_bench_${name} PUBLIC castor_tb ${arg_MODEL} PRIVATE castor_options)
  set_target_properties(castor_bench_${name} PROPERTIES
    CASTOR_PORTS ${arg_PORTS} CASTOR_TYPE ${arg_TYPE} CASTOR_MODEL ${arg_MODEL} CASTOR_RTL "${arg_RTL}"
    CASTOR_RTL_SOURCES "${sources}")
  if(TARGET castor_tb_${name})
    target_link_libraries(castor_bench_${name} PUBLIC castor_tb_${name})
  endif()
  foreach(variant IN ITEMS "" "_coverage")
    add_executable(castor_cosim_${name}${variant} "${CMAKE_CURRENT_BINARY_DIR}/${name}_main.cpp")
    target_link_libraries(castor_cosim_${name}${variant} PRIVATE castor_bench_${name} castor_options)
  endforeach()
  target_link_libraries(castor_cosim_${name} PRIVATE castor_rtl_${name})
  set_target_properties(castor_cosim_${name}_coverage PROPERTIES EXCLUDE_FROM_ALL ON)
  if(CASTOR_BUILD_RTL)
    castor_rtl_library_(${name} "_coverage" "--coverage")
    set_target_properties(castor_rtl_${name}_coverage PROPERTIES EXCLUDE_FROM_ALL ON)
    target_link_libraries(castor_cosim_${name}_coverage PRIVATE castor_rtl_${name}_coverage)
  else()
    target_link_libraries(castor_cosim_${name}_coverage PRIVATE castor_rtl_${name})
  endif()
  if(installed)
    set_property(GLOBAL APPEND PROPERTY CASTOR_BLOCKS ${name})
  endif()
endfunction()

# The library castor_rtl_<name><suffix>; reads arg_* of castor_block.
function(castor_rtl_library_ name suffix options)
  set(json_file "${arg_RTL}/parameter_sets.json")
  set(list_file "${arg_RTL}/${name}.f")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${json_file}" "${list_file}")
  file(READ "${json_file}" json)
  file(STRINGS "${list_file}" lines REGEX "^[^#/]")
  set(sources "")
  foreach(line IN LISTS lines)
    string(STRIP "${line}" line)
    cmake_path(ABSOLUTE_PATH line BASE_DIRECTORY "${arg_RTL}/.." NORMALIZE)
    list(APPEND sources "${line}")
  endforeach()
  list(APPEND sources "${arg_TB}/castor_${name}_probe.sv")
  foreach(folder IN ITEMS "${arg_RTL}" "${arg_TB}")
    if(EXISTS "${folder}/${name}.vlt" AND NOT "${folder}/${name}.vlt" IN_LIST sources)
      list(PREPEND sources "${folder}/${name}.vlt")
    endif()
  endforeach()
  set(CASTOR_SKIP_INCLUDE "")
  if(EXISTS "${arg_TB}/skip.h")
    set(CASTOR_SKIP_INCLUDE "#include \"${arg_TB}/skip.h\"")
  endif()

  set(sources "${sources}" PARENT_SCOPE)

  string(JSON count LENGTH "${json}")
  math(EXPR last "${count} - 1")
  set(CASTOR_NAME ${name})
  set(CASTOR_TYPE ${arg_TYPE})
  set(CASTOR_PORTS ${arg_PORTS})
  set(CASTOR_DECLARATIONS "")
  set(CASTOR_ENTRIES "")
  set(units "")
  set(folders "")
  if(CASTOR_BUILD_RTL)
    string(JSON unused ERROR_VARIABLE no_odd TYPE "${json}" odd)
    foreach(index RANGE ${last})
      string(JSON set MEMBER "${json}" ${index})
      # Coverage at one small set: the compiler takes minutes for a large one with its counters.
      if(suffix STREQUAL "_coverage" AND NOT no_odd AND NOT set STREQUAL "odd")
        continue()
      endif()
      castor_parameter_set_("${json}" ${set})
      set(CASTOR_SET ${set})
      set(CASTOR_PREFIX "V${name}${suffix}_${set}")
      castor_verilate(${CASTOR_PREFIX} TOP castor_${name}_probe SOURCES ${sources} PARAMS ${params} OPTIONS ${options})
      set(unit "${CMAKE_CURRENT_BINARY_DIR}/${name}${suffix}_${set}.cpp")
      configure_file("${CASTOR_VERILATE_DIR}/block_set.cpp.in" "${unit}" @ONLY)
      # A unit of its own, so that a change of the contract does not compile it again.
      set(verilated "${CMAKE_CURRENT_BINARY_DIR}/${CASTOR_PREFIX}/${CASTOR_PREFIX}")
      set_property(SOURCE "${unit}" APPEND PROPERTY OBJECT_DEPENDS "${verilated}.h")
      list(APPEND units "${unit}" "${verilated}__ALL.cpp")
      list(APPEND folders "${CMAKE_CURRENT_BINARY_DIR}/${CASTOR_PREFIX}")
      string(APPEND CASTOR_DECLARATIONS
             "std::unique_ptr<Twin<Block>> make_${name}_${set}(const Block::Params&, const RtlOptions&);\n")
      string(APPEND CASTOR_ENTRIES "      {\"${set}\", params({${assignments}}), generated::make_${name}_${set}},\n")
    endforeach()
  endif()
  set(registry "${CMAKE_CURRENT_BINARY_DIR}/${name}${suffix}_sets.cpp")
  configure_file("${CASTOR_VERILATE_DIR}/block_sets.cpp.in" "${registry}" @ONLY)
  set(target castor_rtl_${name}${suffix})
  add_library(${target} STATIC "${registry}" ${units})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # As system headers, so that warnings are those of our own code.
  target_include_directories(${target} SYSTEM PRIVATE ${folders})
  if(TARGET ${arg_MODEL})
    target_link_libraries(${target} PUBLIC ${arg_MODEL})
  endif()
  target_link_libraries(${target} PUBLIC castor_twin PRIVATE "$<BUILD_INTERFACE:castor_options>")
  if(NOT installed)
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
  endif()
  if(CASTOR_BUILD_RTL)
    target_link_libraries(${target} PUBLIC castor_verilated)
  endif()
endfunction()

# One set as `params` (Name=Value for Verilator) and `assignments` (for the registry), in the caller's scope.
function(castor_parameter_set_ json set)
  string(JSON members LENGTH "${json}" ${set})
  math(EXPR last_member "${members} - 1")
  set(params "")
  set(assignments "")
  foreach(member RANGE ${last_member})
    string(JSON parameter MEMBER "${json}" ${set} ${member})
    string(JSON value GET "${json}" ${set} ${parameter})
    list(APPEND params "${parameter}=${value}")
    string(APPEND assignments "{\"${parameter}\", ${value}}, ")
  endforeach()
  set(params "${params}" PARENT_SCOPE)
  set(assignments "${assignments}" PARENT_SCOPE)
endfunction()
