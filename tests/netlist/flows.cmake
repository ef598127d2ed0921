# Gate netlists in the harness of the RTL: of the contract's test block, and of every block as tb/<block>/ci_netlist.txt
# says (arguments of castor netlist).
if(NOT CASTOR_TEST_RTL OR NOT TARGET castor)
  return()
endif()
find_program(CASTOR_YOSYS yosys)
find_file(CASTOR_OSU018 osu018_stdcells.lib PATHS /usr/share/qflow/tech/osu018)
mark_as_advanced(CASTOR_YOSYS CASTOR_OSU018)
if(NOT CASTOR_YOSYS OR NOT CASTOR_OSU018)
  message(STATUS "Yosys or OSU018 is missing: netlists are not tested")
  return()
endif()

function(castor_netlist_test block file)
  file(STRINGS "${file}" arguments REGEX "^-")
  separate_arguments(arguments UNIX_COMMAND "${arguments}")
  castor_script_test(netlist_${block} KIND netlist
    COMMAND castor netlist ${block} --lockstep ${arguments} --work "${PROJECT_BINARY_DIR}/tests/netlist")
  castor_test_needs_(netlist castor castor_bench_${block})
endfunction()

castor_netlist_test(turnstile "${PROJECT_SOURCE_DIR}/tests/twin/turnstile/ci_netlist.txt")
foreach(block IN LISTS castor_blocks)
  if(EXISTS "${PROJECT_SOURCE_DIR}/tb/${block}/ci_netlist.txt")
    castor_netlist_test(${block} "${PROJECT_SOURCE_DIR}/tb/${block}/ci_netlist.txt")
  endif()
endforeach()
