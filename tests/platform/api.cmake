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

foreach(name IN ITEMS streams memory kernels threads driver statics endless concurrent widths)
  castor_api_program(${name})
endforeach()

set(machine_ CASTOR_SET=run.functional=0)
set(machine_functional_ CASTOR_SET=run.functional=1)
foreach(machine IN ITEMS "" functional_)
  set(run "${machine_${machine}}")
  castor_script_test(api_${machine}streams KIND platform COMMAND "${streams_program}" ENVIRONMENT ${run})
  castor_script_test(api_${machine}memory KIND platform COMMAND "${memory_program}"
    ENVIRONMENT ${run} CASTOR_PLATFORM=tiny)
  foreach(platform IN ITEMS kepler_k20c pascal_titanx)
    castor_script_test(api_${machine}kernels_${platform} KIND platform COMMAND "${kernels_program}"
      ENVIRONMENT ${run} CASTOR_PLATFORM=${platform})
  endforeach()
  castor_script_test(api_${machine}threads KIND platform COMMAND "${threads_program}" ENVIRONMENT ${run})
  castor_script_test(api_${machine}driver KIND platform ENVIRONMENT ${run}
    COMMAND "${driver_program}" "${PROJECT_SOURCE_DIR}/tests/platform/api/scale.ptx")
  castor_script_test(api_${machine}concurrent KIND platform COMMAND "${concurrent_program}"
    ENVIRONMENT ${run} "CASTOR_PLATFORM=${PROJECT_SOURCE_DIR}/tests/platform/api/one_sm.yaml")
  castor_script_test(api_${machine}statics KIND platform ENVIRONMENT ${run}
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/compare_output.py"
            "${PROJECT_SOURCE_DIR}/tests/platform/api/statics.txt" "${statics_program}")
endforeach()

# On every shipped machine that executes.
file(GLOB machines RELATIVE "${PROJECT_SOURCE_DIR}/platforms/configs" CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/platforms/configs/*.yaml")
list(TRANSFORM machines REPLACE "\\.yaml$" "")
list(FILTER machines EXCLUDE REGEX "replay")
foreach(platform IN LISTS machines)
  castor_script_test(api_widths_${platform} KIND platform COMMAND "${widths_program}"
    ENVIRONMENT CASTOR_SET=run.functional=0 CASTOR_PLATFORM=${platform})
endforeach()
