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
# Few warps: with the assumptions, RTL for all of them takes four times as long to build.
castor_script_test(darsie_kernel_stopped KIND platform
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/stopped_test.py"
          "$<TARGET_FILE:castor_stopped_midway>" ${darsie_machine},sm.warps=32,sm.threads=1024)
castor_test_needs_(platform castor_stopped_midway)
