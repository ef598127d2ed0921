# The built-in issue policies over CUDA programs with barriers and with locks.

if(NOT TARGET castor_kernels)
  return()
endif()
set(check "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_policies.py")
set(kernels "${PROJECT_BINARY_DIR}/kernels")
castor_script_test(policies_reduction KIND platform COMMAND ${check} 8 "${kernels}/reduction" --n 20000)
castor_script_test(policies_scan KIND platform COMMAND ${check} 8 "${kernels}/scan")
castor_script_test(policies_spin_lock KIND platform COMMAND ${check} 2 "${kernels}/spin_lock")
