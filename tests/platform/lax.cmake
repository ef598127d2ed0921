# The laxity engine on the platform: jobs by the driver and by a simulated host, on SMs that replay services.
if(NOT TARGET castor_runtime OR NOT TARGET castor_platforms)
  return()
endif()
castor_test(lax_platform_test KIND platform ISOLATED
            SOURCES lax/platform_test.cpp
            LIBS castor_runtime castor_platforms)
castor_test(lax_waiting_test KIND platform ISOLATED
            SOURCES lax/waiting_test.cpp
            LIBS castor_runtime castor_platforms)
if(CASTOR_TEST_RTL)
  target_compile_definitions(lax_platform_test PRIVATE CASTOR_HAS_RTL_LAX)
endif()

# A CUDA program with jobs, on the machine with the engine.
if(TARGET castor_kernels)
  castor_script_test(lax_kernel_deadline_jobs KIND platform
    ENVIRONMENT "CASTOR_PLATFORM=gcn_apu" "CASTOR_SET=blocks.lax.enable=1"
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_kernel.py"
            "${PROJECT_BINARY_DIR}/kernels/deadline_jobs" "--n 300 --jobs 8" "--n 64 --jobs 20 --deadline 30")
  castor_script_test(lax_kernel_job_mix KIND platform
    ENVIRONMENT "CASTOR_PLATFORM=gcn_apu" "CASTOR_SET=blocks.lax.enable=1"
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_kernel.py"
            "${PROJECT_BINARY_DIR}/kernels/job_mix" "--divide 64 --steps 1" "--kind ipv6 --jobs 40 --gap 100 --deadline 20")
  castor_script_test(lax_kernel_preempted KIND platform
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/preempted_test.py"
            "${PROJECT_BINARY_DIR}/kernels/deadline_jobs")
  if(TARGET castor AND TARGET Castor::castor-cc AND TARGET castor_block_shuttle)
    castor_script_test(lax_swapped_preemption KIND platform
      COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/swapped_preemption_test.py"
              "$<TARGET_FILE:castor>" "$<TARGET_FILE:Castor::castor-cc>" "${PROJECT_BINARY_DIR}/tests/moving_blocks" shuttle)
  endif()
  castor_script_test(lax_moved KIND platform
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_moved.py"
            "${PROJECT_BINARY_DIR}/kernels/deadline_jobs" "--n 300 --jobs 8" 3 gcn_apu,blocks.lax.enable=1)
  if(CASTOR_TEST_RTL)
    castor_script_test(lax_kernel_engines KIND platform
      COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_engines.py" lax gcn_apu gpu.lax
              front_end.job_scheduler.lax
              "${PROJECT_BINARY_DIR}/kernels/deadline_jobs" "--n 300 --jobs 8" "--n 64 --jobs 20 --deadline 30")
  endif()
endif()
