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
# (kernels.cmake).
file(GLOB programs RELATIVE "${PROJECT_SOURCE_DIR}/tests/platform/grids" CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/tests/platform/grids/*.cu")
foreach(program IN LISTS programs)
  string(REPLACE ".cu" "" program "${program}")
  castor_script_test(swapped_grid_${program} KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/swapped_grid_test.py" "$<TARGET_FILE:castor>"
            "$<TARGET_FILE:Castor::castor-cc>"
            "${PROJECT_BINARY_DIR}/tests/answering_blocks:${PROJECT_BINARY_DIR}/tests/moving_blocks" ${program})
endforeach()

# The same with swap engines: more thread blocks than fit.
if(TARGET castor_block_shuttle)
  castor_script_test(synchronisation_swapped KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/swapped_synchronisation_test.py"
            "$<TARGET_FILE:castor>" "$<TARGET_FILE:Castor::castor-cc>"
            "${PROJECT_BINARY_DIR}/tests/answering_blocks:${PROJECT_BINARY_DIR}/tests/moving_blocks")
endif()
