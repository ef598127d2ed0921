# Barriers of a grid: the same program on every machine at -O2, and on a few at -O0; a barrier that a block does not reach;
# a barrier in another file (-rdc); kernels with barriers beside each other and beside others.

if(NOT TARGET castor_cc OR NOT TARGET castor_cudart)
  return()
endif()
include(CastorCuda)

set(folder "${PROJECT_SOURCE_DIR}/tests/platform")
set(results "${PROJECT_BINARY_DIR}/tests/platform/grid")
file(MAKE_DIRECTORY "${results}")
set(functional "CASTOR_SET=run.functional=1")
set(compare "${Python3_EXECUTABLE}" "${folder}/compare_output.py")

foreach(level IN ITEMS O0 O2)
  foreach(name IN ITEMS grid_barriers grid_partial)
    castor_cuda_program(program_${name}_${level} SOURCES "${folder}/programs/${name}.cu" OPTIONS -${level} -std=c++17
                        LIBS castor_options)
  endforeach()
  castor_cuda_program(api_grid_linked_${level}
    SOURCES "${folder}/api/grid_linked.cu" "${folder}/api/grid_linked_second.cu" OPTIONS -${level} -rdc=true)
  castor_cuda_program(api_program_cooperative_${level} SOURCES "${folder}/api/cooperative.cu" OPTIONS -${level} -std=c++17
                      LIBS castor_options)
  set_target_properties(program_grid_barriers_${level} program_grid_partial_${level} api_grid_linked_${level}
                        api_program_cooperative_${level} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${results}")
  foreach(functional_ IN ITEMS 0 1)
    set(machine timing)
    if(functional_)
      set(machine functional)
    endif()
    set(run "CASTOR_SET=run.functional=${functional_}")
    castor_script_test(program_grid_partial_${level}_${machine} KIND platform ENVIRONMENT ${run} CASTOR_PLATFORM=tiny
      COMMAND ${compare} "${folder}/programs/grid_partial.txt" "$<TARGET_FILE:program_grid_partial_${level}>")
    castor_script_test(api_grid_linked_${level}_${machine} KIND platform ENVIRONMENT ${run}
      COMMAND api_grid_linked_${level})
    castor_script_test(api_cooperative_${level}_${machine} KIND platform ENVIRONMENT ${run}
      COMMAND api_program_cooperative_${level})
  endforeach()
  castor_script_test(program_grid_barriers_${level}_functional KIND platform ENVIRONMENT ${functional}
    COMMAND ${compare} "${folder}/programs/grid_barriers.txt" "$<TARGET_FILE:program_grid_barriers_${level}>")
endforeach()

# On every machine; one that replays executes nothing.
file(GLOB machines RELATIVE "${PROJECT_SOURCE_DIR}/platforms/configs" CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/platforms/configs/*.yaml")
list(TRANSFORM machines REPLACE "\\.yaml$" "")
list(FILTER machines EXCLUDE REGEX "replay")
foreach(machine IN LISTS machines)
  castor_script_test(program_grid_barriers_${machine} KIND platform ENVIRONMENT CASTOR_PLATFORM=${machine}
    COMMAND ${compare} "${folder}/programs/grid_barriers.txt" "$<TARGET_FILE:program_grid_barriers_O2>")
endforeach()
castor_script_test(program_grid_barriers_O0_tiny KIND platform ENVIRONMENT CASTOR_PLATFORM=tiny
  COMMAND ${compare} "${folder}/programs/grid_barriers.txt" "$<TARGET_FILE:program_grid_barriers_O0>")

# With blocks that choose thread blocks, and a machine that stops at a stale line of L1.
foreach(setting IN ITEMS blocks.laperm.enable=1 blocks.dtbl.enable=1 check.stale=error)
  string(REGEX REPLACE "^blocks\\.|\\..*$|=.*$" "" name "${setting}")
  castor_script_test(api_cooperative_with_${name} KIND platform ENVIRONMENT CASTOR_PLATFORM=kepler_k20c "CASTOR_SET=${setting}"
    COMMAND api_program_cooperative_O2)
endforeach()

castor_runs_over_sanitizers(program_grid_barriers_tiny program_grid_partial_O2_timing api_cooperative_O2_functional)
