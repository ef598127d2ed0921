# The block darsie on one SM of a machine: the same run as model, RTL and in lockstep; also with kernels that are
# stopped midway.

if(NOT TARGET castor_kernels OR NOT CASTOR_TEST_RTL)
  return()
endif()
set(darsie_machine pascal_titanx_study,chip.sms=1,compile.marks=1)
castor_script_test(darsie_kernel_engines KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_engines.py" darsie
          ${darsie_machine} gpu.sm0 sm0.fetch_filter.darsie
          "${PROJECT_BINARY_DIR}/kernels/hotspot" "--width 40 --height 40 --steps 2")

castor_cuda_program(castor_stopped_midway OPTIONS -O2 -std=c++17 LIBS castor_options
                    SOURCES "${PROJECT_SOURCE_DIR}/tests/platform/darsie/stopped_midway.cu")
set_target_properties(castor_stopped_midway PROPERTIES
  OUTPUT_NAME stopped_midway RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform")
# Few warps: with assumption checks, RTL for all warps takes four times as long to build.
castor_script_test(darsie_kernel_stopped KIND platform
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/stopped_test.py"
          "$<TARGET_FILE:castor_stopped_midway>" ${darsie_machine},sm.warps=32,sm.threads=1024)
castor_test_needs_(platform castor_stopped_midway)

# Thread blocks that are swapped out and restored: filtered before, unfiltered afterwards, with checks of each skip and
# of the saved state. Parents that wait for their children on an SM that holds one of them. RTL and model must accept
# the same events.
castor_cuda_program(castor_waiting_parents OPTIONS -O2 -std=c++17
                    SOURCES "${PROJECT_SOURCE_DIR}/tests/platform/darsie/waiting_parents.cu")
set_target_properties(castor_waiting_parents PROPERTIES
  OUTPUT_NAME waiting_parents RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform")
set(check_moved "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_moved.py")
set(darsie_moved pascal_titanx_study,chip.sms=2,compile.marks=1,blocks.darsie.enable=1,check.skips=1,check.rows=1)
castor_script_test(darsie_moved_hotspot KIND platform
  COMMAND ${check_moved} "${PROJECT_BINARY_DIR}/kernels/hotspot" "--width 40 --height 40 --steps 2" 3 ${darsie_moved})
castor_script_test(darsie_moved_matmul KIND platform
  COMMAND ${check_moved} "${PROJECT_BINARY_DIR}/kernels/matmul" "--n 48" 3 ${darsie_moved})
castor_script_test(darsie_moved_parents KIND platform
  COMMAND ${check_moved} "$<TARGET_FILE:castor_waiting_parents>" " " 3
          ${darsie_moved} ${darsie_moved},sm.tb_slots=1,sm.tb_contexts=1)
castor_script_test(darsie_moved_lockstep KIND platform
  COMMAND ${check_moved} "$<TARGET_FILE:castor_waiting_parents>" " " 1
          ${darsie_machine},sm.warps=32,sm.threads=1024,blocks.darsie.enable=1,blocks.darsie.engine=lockstep)
castor_test_needs_(platform castor_waiting_parents)
