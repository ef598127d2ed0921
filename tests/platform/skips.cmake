# The block darsie on a machine, model, with its checking mode: every program of sw/kernels with all its arguments, which
# must give what it gives without the block; shapes of blocks, locks, the watchdog, wrong marks.

if(NOT TARGET castor_kernels)
  return()
endif()

castor_script_test(skips KIND platform
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/cli/skips_test.py" "$<TARGET_FILE:castor>"
          "$<TARGET_FILE:Castor::castor-cc>" "${PROJECT_SOURCE_DIR}/platforms/configs")
