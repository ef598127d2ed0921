# castor experiment.

if(NOT TARGET castor)
  return()
endif()

castor_script_test(experiment_end_to_end KIND platform
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/experiment_test.py" "$<TARGET_FILE:castor>")

# Compares pages of results with the kept runs.
castor_script_test(experiment_pages KIND platform
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/experiment_pages_test.py"
          "$<TARGET_FILE:castor>" "${PROJECT_SOURCE_DIR}")

# Machines that the pages name.
if(TARGET kernel_dynamic_bfs)
  castor_script_test(page_machines KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/page_machines_test.py" "$<TARGET_FILE:castor>"
            "${PROJECT_BINARY_DIR}/kernels" "${PROJECT_SOURCE_DIR}")
endif()

# Programs that are compiled on demand. castor-cc alone does not link a sanitizer's runtime, so this is not tested under
# sanitizers.
if(TARGET castor_kernels AND NOT CASTOR_SANITIZE)
  castor_unless_matrix(cases
      Compiled.test_what_has_changed_is_compiled_again Compiled.test_bad_requests_are_told_before_anything_is_compiled
      Compiled.test_a_failed_compilation_is_an_error_with_the_command Compiled.test_a_cache_that_cannot_be_written_is_told)
  castor_script_test(experiment_compile KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/experiment_compile_test.py" "$<TARGET_FILE:castor>"
            ${cases})
endif()

# Its tier of real kernels.
if(TARGET kernel_job_mix)
  castor_script_test(experiment_programs KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/experiment_programs_test.py"
            "$<TARGET_FILE:castor>" "$<TARGET_FILE:kernel_job_mix>")
endif()

# Issue policies over programs with and without barriers.
if(TARGET kernel_hotspot AND TARGET kernel_base64)
  castor_script_test(experiment_saws KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/experiment_saws_test.py" "$<TARGET_FILE:castor>"
            "${PROJECT_BINARY_DIR}/kernels")
endif()

# Redundant instructions of thread blocks.
if(TARGET kernel_convolution_direct)
  castor_script_test(experiment_darsie KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/experiment_darsie_test.py" "$<TARGET_FILE:castor>"
            "${PROJECT_BINARY_DIR}/kernels")
endif()

# Child kernels.
if(TARGET kernel_dynamic_launch_path)
  castor_script_test(experiment_cdp KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/experiment_cdp_test.py" "$<TARGET_FILE:castor>"
            "${PROJECT_BINARY_DIR}/kernels")
  castor_script_test(experiment_dtbl KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/experiment_dtbl_test.py" "$<TARGET_FILE:castor>"
            "${PROJECT_BINARY_DIR}/kernels")
  # The test compiles one program, without a sanitizer's runtime.
  if(NOT CASTOR_SANITIZE)
    castor_script_test(experiment_laperm KIND platform
      COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/experiment_laperm_test.py" "$<TARGET_FILE:castor>"
              "${PROJECT_BINARY_DIR}/kernels")
  endif()
endif()

# Microbenchmarks beside published values.
if(TARGET micro_chains)
  castor_script_test(experiment_fidelity KIND platform
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/experiment_fidelity_test.py"
            "$<TARGET_FILE:castor>" "${PROJECT_BINARY_DIR}/kernels")
endif()
