# Kernels with instructions of device-wide synchronisation, on machines with and without a block that answers them: the
# test block tests/twin/roster.
set(roster "tests/twin/roster")
castor_block(roster NO_INSTALL
  ROOT "${PROJECT_SOURCE_DIR}"
  PORTS ${roster}/ports.h
  ENGINE ${roster}/engine.h
  REGISTRATION ${roster}/registration.h
  FOLDER "${PROJECT_BINARY_DIR}/tests/answering_blocks/roster")
if(NOT TARGET castor OR NOT TARGET Castor::castor-cc OR NOT TARGET Castor::runtime)
  return()
endif()
castor_script_test(synchronisation KIND platform
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/synchronisation_test.py" "$<TARGET_FILE:castor>"
          "$<TARGET_FILE:Castor::castor-cc>" "${PROJECT_BINARY_DIR}/tests/answering_blocks")

# CUDA programs with more thread blocks than fit: hub and agents of roster beside the swap engines of shuttle
# (kernels.cmake), and some of them beside those of tb_swap.
file(GLOB programs RELATIVE "${PROJECT_SOURCE_DIR}/tests/platform/grids" CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/tests/platform/grids/*.cu")
foreach(program IN LISTS programs)
  string(REPLACE ".cu" "" program "${program}")
  castor_script_test(swapped_grid_${program} KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/swapped_grid_test.py" "$<TARGET_FILE:castor>"
            "$<TARGET_FILE:Castor::castor-cc>"
            "${PROJECT_BINARY_DIR}/tests/answering_blocks:${PROJECT_BINARY_DIR}/tests/moving_blocks" ${program} shuttle)
  if(CASTOR_TEST_MATRIX OR program MATCHES "^(calls|shared|shrink)$")
    castor_script_test(tb_swap_grid_${program} KIND platform
      COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/swapped_grid_test.py" "$<TARGET_FILE:castor>"
              "$<TARGET_FILE:Castor::castor-cc>" "${PROJECT_BINARY_DIR}/tests/answering_blocks" ${program} tb_swap)
  endif()
endforeach()

# The same with swap engines: more thread blocks than fit.
if(TARGET castor_block_shuttle)
  castor_script_test(synchronisation_swapped KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/swapped_synchronisation_test.py"
            "$<TARGET_FILE:castor>" "$<TARGET_FILE:Castor::castor-cc>"
            "${PROJECT_BINARY_DIR}/tests/answering_blocks:${PROJECT_BINARY_DIR}/tests/moving_blocks" shuttle)
endif()
castor_script_test(tb_swap_synchronisation KIND platform
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/swapped_synchronisation_test.py"
          "$<TARGET_FILE:castor>" "$<TARGET_FILE:Castor::castor-cc>" "${PROJECT_BINARY_DIR}/tests/answering_blocks" tb_swap)
castor_script_test(tb_swap_preemption KIND platform
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/swapped_preemption_test.py"
          "$<TARGET_FILE:castor>" "$<TARGET_FILE:Castor::castor-cc>" "${PROJECT_BINARY_DIR}/tests/answering_blocks" tb_swap)

# The same kernels with tb_swap as model, as RTL and in lockstep: thread blocks that stay in their SM, and whole contexts
# that go to memory.
if(CASTOR_TEST_RTL)
  castor_cuda_program(grid_shared SOURCES "${PROJECT_SOURCE_DIR}/tests/platform/grids/shared.cu" OPTIONS -O2 -std=c++17)
  set(machine maxwell_liu13,chip.sms=2,sm.tb_slots=2,blocks.roster.enable=1)
  foreach(kind IN ITEMS "" "_memory")
    set(keys)
    if(kind)
      set(keys ,blocks.tb_swap.stay=0,blocks.tb_swap.live=0,blocks.tb_swap.threshold=8)
    endif()
    castor_script_test(tb_swap_kernel_engines${kind} KIND platform
      COMMAND "${CMAKE_COMMAND}" -E env "CASTOR_BLOCKS=${PROJECT_BINARY_DIR}/tests/answering_blocks"
              "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_engines.py" tb_swap ${machine}${keys}
              gpu.sm0.tb_swap sm0.swap_engine.tb_swap "$<TARGET_FILE:grid_shared>" "1 1" "2 3")
  endforeach()
endif()
