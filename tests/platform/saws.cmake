# The block saws on the SMs of a machine: plain GTO when it is told so, and the same run as model, RTL and in lockstep.

if(NOT TARGET castor_kernels)
  return()
endif()
castor_script_test(saws_as_gto KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_saws_gto.py" maxwell_liu13
          "${PROJECT_BINARY_DIR}/kernels/reduction" --n 20000)
# Thread blocks that are swapped out and restored, as the block sees them. RTL and model must accept the same events.
set(check_moved "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_moved.py")
castor_script_test(saws_moved KIND platform
  COMMAND ${check_moved} "${PROJECT_BINARY_DIR}/kernels/reduction" "--n 5000" 3 maxwell_liu13,blocks.saws.enable=1)
if(CASTOR_TEST_RTL)
  castor_script_test(saws_moved_lockstep KIND platform
    COMMAND ${check_moved} "${PROJECT_BINARY_DIR}/kernels/named_barriers" "--blocks 3 --rounds 4" 1
            maxwell_liu13,chip.sms=2,blocks.saws.enable=1,blocks.saws.engine=lockstep)
  castor_script_test(saws_kernel_engines KIND platform
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_engines.py" saws maxwell_liu13 gpu.sm0 total
            "${PROJECT_BINARY_DIR}/kernels/reduction" "--n 5000")
endif()
