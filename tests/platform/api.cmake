# Programs that use the runtime and driver API and check themselves (api/), on machines that they were written for.

if(NOT TARGET Castor::castor-cc OR NOT TARGET Castor::runtime)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/api")

# castor_api_program(<name>): tests/platform/api/<name>.cu as the variable <name>_program
function(castor_api_program name)
  set(source "${PROJECT_SOURCE_DIR}/tests/platform/api/${name}.cu")
  set(program "${PROJECT_BINARY_DIR}/tests/platform/api/${name}")
  add_custom_command(
    OUTPUT "${program}"
    COMMAND Castor::castor-cc -O2 -std=c++17 "${source}" -o "${program}" -lpthread
    DEPENDS "${source}" "${PROJECT_SOURCE_DIR}/tests/platform/api/check.h" Castor::castor-cc Castor::runtime
    COMMENT "castor-cc ${name}.cu"
    VERBATIM)
  add_custom_target(api_program_${name} ALL DEPENDS "${program}")
  set(${name}_program "${program}" PARENT_SCOPE)
endfunction()

foreach(name IN ITEMS streams memory kernels threads driver statics endless)
  castor_api_program(${name})
endforeach()

castor_script_test(api_streams KIND platform COMMAND "${streams_program}")
castor_script_test(api_memory KIND platform COMMAND "${memory_program}" ENVIRONMENT CASTOR_PLATFORM=tiny)
foreach(machine IN ITEMS kepler_k20c pascal_titanx)
  castor_script_test(api_kernels_${machine} KIND platform COMMAND "${kernels_program}"
    ENVIRONMENT CASTOR_PLATFORM=${machine})
endforeach()
castor_script_test(api_threads KIND platform COMMAND "${threads_program}")
castor_script_test(api_driver KIND platform
  COMMAND "${driver_program}" "${PROJECT_SOURCE_DIR}/tests/platform/api/scale.ptx")
castor_script_test(api_statics KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/compare_output.py"
          "${PROJECT_SOURCE_DIR}/tests/platform/api/statics.txt" "${statics_program}")
