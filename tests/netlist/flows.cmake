# Gate netlists in the harness of the RTL: the contract's test block and every block that has a model.
if(NOT CASTOR_BUILD_RTL)
  return()
endif()

foreach(pair IN ITEMS "turnstile odd ${PROJECT_SOURCE_DIR}/tests/twin" "lax minimum ${PROJECT_SOURCE_DIR}")
  separate_arguments(words UNIX_COMMAND "${pair}")
  list(GET words 0 block)
  list(GET words 1 set)
  list(GET words 2 root)
  if(NOT TARGET castor_bench_${block})
    continue()
  endif()
  castor_netlist(${block} ${set} ROOT "${root}")
  if(TARGET castor_cosim_${block}_netlist)
    castor_script_test(netlist_${block} KIND netlist TIMEOUT 300
      COMMAND castor_cosim_${block}_netlist --params ${set} --cycles 50000 --no-skip)
  endif()
endforeach()
