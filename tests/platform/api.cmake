# Programs that use the runtime and driver API and check themselves (api/), on machines that they were written for.

if(NOT TARGET Castor::castor-cc OR NOT TARGET Castor::runtime)
  return()
endif()
include(CastorCuda)

file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/api")

# castor_api_program(<name>): tests/platform/api/<name>.cu as the variable <name>_program
function(castor_api_program name)
  set(source "${PROJECT_SOURCE_DIR}/tests/platform/api/${name}.cu")
  castor_cuda_program(api_program_${name} SOURCES "${source}" OPTIONS -O2 -std=c++17 LIBS castor_options)
  set_target_properties(api_program_${name} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/api")
  set(${name}_program "${PROJECT_BINARY_DIR}/tests/platform/api/${name}" PARENT_SCOPE)
endfunction()

foreach(name IN ITEMS streams memory kernels threads driver statics endless concurrent widths helpers images waiting symbols
    graphs graphs_driver capture)
  castor_api_program(${name})
endforeach()

# Device code over two files, by castor-cc alone and with the host's own linker.
set(api "${PROJECT_SOURCE_DIR}/tests/platform/api")
set(linked "${PROJECT_BINARY_DIR}/tests/platform/api/linked")
add_custom_command(
  OUTPUT "${linked}" "${linked}_by_host"
  COMMAND Castor::castor-cc -O2 -dc "${api}/linked_first.cu" -o "${linked}_first.o"
  COMMAND Castor::castor-cc -O2 -dc "${api}/linked_second.cu" -o "${linked}_second.o"
  COMMAND Castor::castor-cc "${linked}_first.o" "${linked}_second.o" -o "${linked}"
  COMMAND Castor::castor-cc -dlink "${linked}_first.o" "${linked}_second.o" -o "${linked}_device.o"
  COMMAND "${CMAKE_CXX_COMPILER}" "${linked}_first.o" "${linked}_second.o" "${linked}_device.o"
          -o "${linked}_by_host" "$<TARGET_FILE:Castor::runtime>" "-Wl,-rpath,$<TARGET_FILE_DIR:Castor::runtime>"
  DEPENDS "${api}/linked_first.cu" "${api}/linked_second.cu" "${api}/linked.h" "${api}/check.h" Castor::castor-cc
          Castor::runtime
  COMMENT "castor-cc -dc linked_first.cu linked_second.cu"
  VERBATIM)
# A kernel under the names of compiled images.
set(image "${PROJECT_BINARY_DIR}/tests/platform/api/image_kernel")
add_custom_command(
  OUTPUT "${image}.cubin" "${image}.fatbin"
  COMMAND Castor::castor-cc -cubin "${api}/image_kernel.cu" -o "${image}.cubin"
  COMMAND Castor::castor-cc -fatbin "${api}/image_kernel.cu" -o "${image}.fatbin"
  DEPENDS "${api}/image_kernel.cu" Castor::castor-cc
  COMMENT "castor-cc -cubin -fatbin image_kernel.cu"
  VERBATIM)
add_custom_target(api_linked_files ALL DEPENDS "${linked}" "${linked}_by_host" "${image}.cubin" "${image}.fatbin")
castor_cuda_program(api_linked_by_cmake SOURCES "${api}/linked_first.cu" "${api}/linked_second.cu" OPTIONS -O0 -rdc=true)
set_target_properties(api_linked_by_cmake PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/api")
castor_script_test(api_linked_files KIND platform COMMAND "${linked}")
castor_script_test(api_linked_files_by_cmake KIND platform COMMAND api_linked_by_cmake)
castor_script_test(api_linked_files_by_host KIND platform COMMAND "${linked}_by_host")
castor_script_test(api_images KIND platform COMMAND "${images_program}" "${image}.cubin" "${image}.fatbin")
foreach(kind IN ITEMS cubin fatbin)
  castor_script_test(api_list_${kind} KIND platform COMMAND castor list kernels "${image}.${kind}")
  castor_script_test(api_run_${kind} KIND platform
    COMMAND castor run "${image}.${kind}" --grid 1 --block 32 --arg iota:32xs32 --arg 32 --dump 0:s32:4)
endforeach()
# Machines with the limits of the chips after which they are named.
foreach(platform IN ITEMS kepler_k20c maxwell_gtx980 pascal_titanx turing_rtx2060)
  castor_script_test(api_helpers_${platform} KIND platform COMMAND "${helpers_program}"
    ENVIRONMENT CASTOR_PLATFORM=${platform})
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
  foreach(name IN ITEMS graphs capture)
    castor_script_test(api_${machine}${name} KIND platform COMMAND "${${name}_program}" ENVIRONMENT ${run})
  endforeach()
  castor_script_test(api_${machine}graphs_driver KIND platform ENVIRONMENT ${run}
    COMMAND "${graphs_driver_program}" "${PROJECT_SOURCE_DIR}/tests/platform/api/scale.ptx")
  castor_script_test(api_${machine}concurrent KIND platform COMMAND "${concurrent_program}"
    ENVIRONMENT ${run} "CASTOR_PLATFORM=${PROJECT_SOURCE_DIR}/tests/platform/api/one_sm.yaml")
  castor_script_test(api_${machine}waiting KIND platform ENVIRONMENT ${run}
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/waiting_test.py" "${waiting_program}")
  castor_script_test(api_${machine}symbols KIND platform COMMAND "${symbols_program}" ENVIRONMENT ${run})
  castor_script_test(api_${machine}statics KIND platform ENVIRONMENT ${run}
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/compare_output.py"
            "${PROJECT_SOURCE_DIR}/tests/platform/api/statics.txt" "${statics_program}")
endforeach()

castor_runs_over_sanitizers(api_streams api_threads api_driver api_concurrent api_symbols api_statics api_images
  api_linked_files api_kernels_kepler_k20c api_functional_memory
  api_graphs api_capture api_graphs_driver)

# Loads the driver's library by its name. Programs without sanitizers cannot load a sanitized library.
if(NOT CASTOR_SANITIZE AND CASTOR_CC_CLANG)
  castor_script_test(api_libcuda KIND platform
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/libcuda_test.py"
            "$<TARGET_FILE_DIR:castor_cudart>" "$<TARGET_FILE:castor_cc>" "${CASTOR_CC_CLANG}"
            "${PROJECT_SOURCE_DIR}/sw/device/include" "${PROJECT_SOURCE_DIR}/tests/platform/api/libcuda.c")
endif()

# Messages about code that is too new for a machine, or that requests too much.
castor_script_test(api_refused KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/refused_test.py" "$<TARGET_FILE:castor_cc>")

# Launches by device code that castor-cc accepts or refuses.
castor_script_test(api_device_launch KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/device_launch_test.py" "$<TARGET_FILE:castor_cc>")

castor_script_test(api_full_pool KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/full_pool_test.py" "$<TARGET_FILE:castor>"
          "$<TARGET_FILE:castor_cc>")

# Runs on a sample of the shipped machines that execute.
file(GLOB machines RELATIVE "${PROJECT_SOURCE_DIR}/platforms/configs" CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/platforms/configs/*.yaml")
list(TRANSFORM machines REPLACE "\\.yaml$" "")
list(FILTER machines EXCLUDE REGEX "replay")
castor_sample(machines widths 3 ${machines})
foreach(platform IN LISTS machines)
  castor_script_test(api_widths_${platform} KIND platform COMMAND "${widths_program}"
    ENVIRONMENT CASTOR_SET=run.functional=0 CASTOR_PLATFORM=${platform})
endforeach()
