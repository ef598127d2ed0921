# Device intrinsics and the maths library, run on the functional machine against host code: tests/platform/device, each
# program at -O0 or at -O2.

if(NOT TARGET castor_cc OR NOT TARGET castor_cudart)
  return()
endif()
include(CastorCuda)

foreach(name IN ITEMS integers random rounding short_floats short_memory warps)
  castor_sample(levels ${name} 1 O0 O2)
  foreach(level IN LISTS levels)
    # The host side changes the rounding mode.
    castor_cuda_program(device_${name}_${level}
      SOURCES "${PROJECT_SOURCE_DIR}/tests/platform/device/${name}.cu"
      OPTIONS -${level} -Xcompiler -frounding-math)
    set_target_properties(device_${name}_${level} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/device")
    castor_script_test(device_${name}_${level} KIND platform
      ENVIRONMENT "CASTOR_SET=run.functional=1" COMMAND device_${name}_${level})
  endforeach()
endforeach()

# Newer targets have a bfloat16 multiply-add that rounds once.
castor_cuda_program(device_short_floats_sm_80
  SOURCES "${PROJECT_SOURCE_DIR}/tests/platform/device/short_floats.cu" OPTIONS -O2 -arch=sm_80)
set_target_properties(device_short_floats_sm_80 PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/device")
castor_script_test(device_short_floats_sm_80 KIND platform
  ENVIRONMENT "CASTOR_SET=run.functional=1" COMMAND device_short_floats_sm_80)

# The maths library in every binade, and docs/maths.md, which shows what a run with more arguments finds.
# The host side waits for the C library; to optimise it would take longer than to run it.
castor_cuda_program(device_maths_accuracy
  SOURCES "${PROJECT_SOURCE_DIR}/tests/platform/device/maths_accuracy.cu" OPTIONS -O2 -Xcompiler -O0)
set_target_properties(device_maths_accuracy PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/device")
castor_script_test(device_maths_accuracy KIND platform
  ENVIRONMENT "CASTOR_SET=run.functional=1"
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/device/maths_document.py"
          $<TARGET_FILE:device_maths_accuracy> "${PROJECT_SOURCE_DIR}/docs/maths.md")
