# The systems with which DARSIE is compared, over CUDA programs: results must equal those of the machine without a
# system.

if(NOT TARGET castor_kernels)
  return()
endif()
set(check "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_compared.py")
set(kernels "${PROJECT_BINARY_DIR}/kernels")
castor_script_test(compared_matmul KIND platform 
  # The program uses all registers, so no rows are left.
  COMMAND ${check} --idle darsie --idle ignore_store --idle silicon_sync_1 "${kernels}/matmul" "--n 48")
castor_script_test(compared_backprop KIND platform COMMAND ${check} "${kernels}/backprop" "--n 200")
castor_script_test(compared_hotspot KIND platform
  COMMAND ${check} "${kernels}/hotspot" "--width 40 --height 20 --steps 3")
castor_script_test(compared_dct KIND platform COMMAND ${check} "${kernels}/dct" "--width 33 --height 17")
castor_script_test(compared_pathfinder KIND platform
  COMMAND ${check} "${kernels}/pathfinder" "--columns 500 --rows 11")
