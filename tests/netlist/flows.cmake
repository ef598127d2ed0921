# Gate netlists in the harness of the RTL.
if(NOT CASTOR_BUILD_RTL)
  return()
endif()

castor_netlist(turnstile odd ROOT "${PROJECT_SOURCE_DIR}/tests/twin")
if(TARGET castor_cosim_turnstile_netlist)
  castor_script_test(netlist_turnstile KIND netlist TIMEOUT 300
    COMMAND castor_cosim_turnstile_netlist --params odd --cycles 50000 --no-skip)
endif()

if(TARGET castor_bench_saws)
  castor_netlist(saws odd)
  if(TARGET castor_cosim_saws_netlist)
    castor_script_test(netlist_saws KIND netlist TIMEOUT 300
      COMMAND castor_cosim_saws_netlist --params odd --cycles 50000 --no-skip)
  endif()
endif()

# On demand: the netlist has 35,000 cells, which take minutes to verilate and compile.
if(TARGET castor_bench_lax)
  castor_netlist(lax minimum)
  if(TARGET castor_cosim_lax_netlist)
    set_target_properties(castor_cosim_lax_netlist PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endif()
