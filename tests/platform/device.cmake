# Device intrinsics and the maths library, run on the functional machine against host code: tests/platform/device, each
# program at -O0 or at -O2, those for faults of the compiler at every level that has its own. Groups synchronise, so they
# run on the timing GPU too.

if(NOT TARGET castor_cc OR NOT TARGET castor_cudart)
  return()
endif()
include(CastorCuda)

# Tests a third of the types of copies at each level.
set(types_O0 LONGS)
set(types_O1 WORDS)
set(types_O2 LONGS)
set(types_O3 BYTES)
foreach(name IN ITEMS copies dpx groups integers random returned rounding shifts signed_zeros short_floats short_memory warps)
  castor_sample(levels ${name} 1 O0 O2)
  if(name STREQUAL copies)
    set(levels O0 O1 O2 O3)
  elseif(name MATCHES "^(groups|returned|shifts|signed_zeros)$")
    set(levels O0 O2)
  endif()
  foreach(level IN LISTS levels)
    set(types)
    if(name STREQUAL copies)
      castor_unless_matrix(types -DTYPES=${types_${level}})
    endif()
    # The host side changes the rounding mode.
    castor_cuda_program(device_${name}_${level}
      SOURCES "${PROJECT_SOURCE_DIR}/tests/platform/device/${name}.cu"
      OPTIONS -${level} -Xcompiler -frounding-math ${types})
    set_target_properties(device_${name}_${level} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/device")
    castor_script_test(device_${name}_${level} KIND platform
      ENVIRONMENT "CASTOR_SET=run.functional=1" COMMAND device_${name}_${level})
  endforeach()
endforeach()
foreach(level IN ITEMS O0 O2)
  castor_script_test(device_groups_${level}_timing KIND platform
    ENVIRONMENT "CASTOR_SET=run.functional=0" COMMAND device_groups_${level})
endforeach()

# Lanes that wait for each other, on both machines.
set(levels O0 O2)
if(CASTOR_TEST_MATRIX)
  set(levels O0 O1 O2 O3)
endif()
foreach(level IN LISTS levels)
  set(device "${PROJECT_SOURCE_DIR}/tests/platform/device")
  castor_cuda_program(device_locks_${level} SOURCES "${device}/locks.cu" OPTIONS -${level})
  castor_cuda_program(device_locks_linked_${level}
    SOURCES "${device}/locks_linked.cu" "${device}/locks_linked_second.cu" OPTIONS -${level} -rdc=true)
  set_target_properties(device_locks_${level} device_locks_linked_${level} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/device")
  foreach(functional IN ITEMS 0 1)
    set(machine timing)
    if(functional)
      set(machine functional)
    endif()
    set(run CASTOR_PLATFORM=tiny
      "CASTOR_SET=run.functional=${functional}$<SEMICOLON>watchdog.cycles=20000$<SEMICOLON>run.max_instructions=3000000")
    castor_script_test(device_locks_${level}_${machine} KIND platform ENVIRONMENT ${run} COMMAND device_locks_${level})
    castor_script_test(device_locks_linked_${level}_${machine} KIND platform ENVIRONMENT ${run}
      COMMAND device_locks_linked_${level})
    if(level STREQUAL O2)
      castor_script_test(device_locks_deadlock_${machine} KIND platform ENVIRONMENT ${run}
        COMMAND device_locks_${level} deadlock)
    endif()
  endforeach()
endforeach()

# Code that castor-cc rewrites around clang: launches by device code and its runtime on both machines, and structures
# passed by value.
foreach(name IN ITEMS launches device_runtime by_value)
  foreach(level IN LISTS levels)
    castor_cuda_program(device_${name}_${level}
      SOURCES "${PROJECT_SOURCE_DIR}/tests/platform/device/${name}.cu" OPTIONS -${level})
    set_target_properties(device_${name}_${level} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/device")
    castor_script_test(device_${name}_${level} KIND platform
      ENVIRONMENT "CASTOR_SET=run.functional=1" COMMAND device_${name}_${level})
    if(level STREQUAL O2 AND NOT name STREQUAL by_value)
      castor_script_test(device_${name}_${level}_timing KIND platform
        ENVIRONMENT "CASTOR_SET=run.functional=0" COMMAND device_${name}_${level})
    endif()
  endforeach()
endforeach()

# Newer targets have a bfloat16 multiply-add that rounds once.
castor_cuda_program(device_short_floats_sm_80
  SOURCES "${PROJECT_SOURCE_DIR}/tests/platform/device/short_floats.cu" OPTIONS -O2 -arch=sm_80)
set_target_properties(device_short_floats_sm_80 PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/device")
castor_script_test(device_short_floats_sm_80 KIND platform
  ENVIRONMENT "CASTOR_SET=run.functional=1" COMMAND device_short_floats_sm_80)

# The maths library in every binade, and docs/maths.md, which shows the results of a run with more arguments. The host
# side mostly waits for the C library; optimising it would take longer than running it.
castor_cuda_program(device_maths_accuracy
  SOURCES "${PROJECT_SOURCE_DIR}/tests/platform/device/maths_accuracy.cu" OPTIONS -O2 -Xcompiler -O0)
set_target_properties(device_maths_accuracy PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/device")
castor_script_test(device_maths_accuracy KIND platform
  ENVIRONMENT "CASTOR_SET=run.functional=1"
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/device/maths_document.py"
          $<TARGET_FILE:device_maths_accuracy> "${PROJECT_SOURCE_DIR}/docs/maths.md")

# The maths functions of OpenCL C.
castor_cuda_program(device_opencl_maths
  SOURCES "${PROJECT_SOURCE_DIR}/tests/platform/device/opencl_maths.cu" OPTIONS -O2 -std=c++17)
set(kernels "${PROJECT_BINARY_DIR}/tests/platform/device/opencl_maths.ptx")
set_target_properties(device_opencl_maths PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/device")
add_custom_command(OUTPUT "${kernels}"
  COMMAND castor_cc "${PROJECT_SOURCE_DIR}/tests/platform/device/opencl_maths.cl" -o "${kernels}"
  DEPENDS castor_cc castor_device "${PROJECT_SOURCE_DIR}/tests/platform/device/opencl_maths.cl" VERBATIM)
add_custom_target(device_opencl_maths_kernels ALL DEPENDS "${kernels}")
castor_script_test(device_opencl_maths KIND platform
  ENVIRONMENT "CASTOR_SET=run.functional=1" COMMAND device_opencl_maths "${kernels}")
castor_test_needs_(platform device_opencl_maths_kernels)
