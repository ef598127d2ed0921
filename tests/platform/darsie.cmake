# The block darsie on one SM of a machine: the same run as model, RTL and in lockstep.

if(NOT TARGET castor_kernels OR NOT CASTOR_TEST_RTL)
  return()
endif()
castor_script_test(darsie_kernel_engines KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_engines.py" darsie
          pascal_titanx_study,chip.sms=1,compile.marks=1 gpu.sm0 sm0.fetch_filter.darsie
          "${PROJECT_BINARY_DIR}/kernels/hotspot" "--width 40 --height 40 --steps 2")
