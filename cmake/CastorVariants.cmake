# The lockstep program of a block over something else than its RTL: a gate netlist, or the model of all mutants. Only the
# outputs are compared there, since neither has probes.

# castor_netlist(<block> <set> [ROOT <folder>])
#
# castor_cosim_<block>_netlist: the block synthesized to OSU018 cells at one parameter set, in the harness of the RTL.
# ROOT is what `castor netlist --root` takes, the project by default. Needs Yosys and the library's package; where they are
# missing there is no such target.
function(castor_netlist name set)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "ROOT" "")
  if(NOT arg_ROOT)
    set(arg_ROOT "${PROJECT_SOURCE_DIR}")
  endif()
  find_program(CASTOR_YOSYS yosys)
  find_file(CASTOR_OSU018 osu018_stdcells.lib PATHS /usr/share/qflow/tech/osu018)
  find_package(Python3 COMPONENTS Interpreter)
  mark_as_advanced(CASTOR_YOSYS CASTOR_OSU018)
  if(NOT CASTOR_BUILD_RTL OR NOT CASTOR_YOSYS OR NOT CASTOR_OSU018 OR NOT Python3_FOUND OR NOT TARGET castor_bench_${name})
    message(STATUS "castor_netlist(${name}): Verilator, Yosys, OSU018 or the block's model is missing")
    return()
  endif()
  get_target_property(rtl castor_bench_${name} CASTOR_RTL)
  file(READ "${rtl}/parameter_sets.json" json)
  castor_parameter_set_("${json}" ${set})
  file(GLOB flows CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/rtl/synthesis/castor_flows/*.py")
  get_target_property(sources castor_bench_${name} CASTOR_RTL_SOURCES)
  set(netlist "${CMAKE_CURRENT_BINARY_DIR}/${name}_${set}_netlist.v")
  add_custom_command(
    OUTPUT "${netlist}"
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/rtl/synthesis/flows.py" netlist ${name} --params ${set}
            --root "${arg_ROOT}" --work "${CMAKE_CURRENT_BINARY_DIR}/netlist-work" --output "${netlist}"
    DEPENDS ${sources} "${rtl}/parameter_sets.json" ${flows}
    COMMENT "Synthesizing ${name} at ${set}"
    VERBATIM)
  castor_variant_(${name} netlist "${netlist}" "{\"${set}\", params({${assignments}}), generated::make_${name}_netlist}," "")
endfunction()

# castor_mutants(<block>)
#
# castor_cosim_<block>_mutants, which only `castor mutate` builds: it writes mutants/<block>/mutants.sv in the build folder,
# and the parameter set that this is at.
function(castor_mutants name)
  if(NOT CASTOR_BUILD_RTL OR NOT TARGET castor_bench_${name})
    return()
  endif()
  set(folder "${PROJECT_BINARY_DIR}/mutants/${name}")
  castor_variant_(${name} mutants "${folder}/mutants.sv"
    "{CASTOR_MUTANTS_SET, params(CASTOR_MUTANTS_PARAMS), generated::make_${name}_mutants},"
    "#include \"${folder}/mutants_set.h\"\n")
  target_sources(castor_cosim_${name}_mutants PRIVATE "${PROJECT_SOURCE_DIR}/tb/common/mutant_number.cpp")
  set_target_properties(castor_cosim_${name}_mutants PROPERTIES
    EXCLUDE_FROM_ALL ON RUNTIME_OUTPUT_DIRECTORY "${folder}")
endfunction()

# The program castor_cosim_<name>_<variant> over one Verilog file with the block's ports.
function(castor_variant_ name variant source entry declarations)
  get_target_property(CASTOR_PORTS castor_bench_${name} CASTOR_PORTS)
  get_target_property(CASTOR_TYPE castor_bench_${name} CASTOR_TYPE)
  get_target_property(model castor_bench_${name} CASTOR_MODEL)
  set(CASTOR_NAME ${name})
  set(CASTOR_SET ${variant})
  set(CASTOR_PREFIX "V${name}_${variant}")
  # What synthesis writes is not what a lint is for.
  castor_verilate(${CASTOR_PREFIX} TOP castor_${name} SOURCES "${source}" OPTIONS -Wno-fatal -Wno-lint -Wno-style
                  -Wno-UNOPTFLAT)
  if(variant STREQUAL "netlist")
    # One function of 70,000 lines for the laxity engine: with -O2 it was not compiled after six minutes.
    set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/${CASTOR_PREFIX}/${CASTOR_PREFIX}__ALL.cpp" PROPERTIES
                                COMPILE_OPTIONS "-O0;-w")
  endif()
  set(CASTOR_ENTRIES "      ${entry}\n")
  set(CASTOR_DECLARATIONS
      "${declarations}std::unique_ptr<Twin<Block>> make_${name}_${variant}(const Block::Params&, const RtlOptions&);\n")
  set(unit "${CMAKE_CURRENT_BINARY_DIR}/${name}_${variant}_model.cpp")
  set(registry "${CMAKE_CURRENT_BINARY_DIR}/${name}_${variant}_sets.cpp")
  configure_file("${CASTOR_VERILATE_DIR}/block_set.cpp.in" "${unit}" @ONLY)
  configure_file("${CASTOR_VERILATE_DIR}/block_sets.cpp.in" "${registry}" @ONLY)
  configure_file("${CASTOR_VERILATE_DIR}/block_main.cpp.in" "${CMAKE_CURRENT_BINARY_DIR}/${name}_${variant}_main.cpp" @ONLY)
  set(verilated "${CMAKE_CURRENT_BINARY_DIR}/${CASTOR_PREFIX}/${CASTOR_PREFIX}")
  set_property(SOURCE "${unit}" APPEND PROPERTY OBJECT_DEPENDS "${verilated}.h")
  add_executable(castor_cosim_${name}_${variant}
    "${CMAKE_CURRENT_BINARY_DIR}/${name}_${variant}_main.cpp" "${unit}" "${verilated}__ALL.cpp" "${registry}")
  target_include_directories(castor_cosim_${name}_${variant} SYSTEM PRIVATE
    "${CMAKE_CURRENT_BINARY_DIR}/${CASTOR_PREFIX}")
  target_link_libraries(castor_cosim_${name}_${variant} PRIVATE
    castor_bench_${name} ${model} castor_verilated castor_options)
endfunction()
