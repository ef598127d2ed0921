# Programs whose thread blocks meet between iterations, with all their systems and at sizes that fit on the machine: on the
# functional machine and on two timing machines, and once at -O0. With one thread block more than fits, too.

if(NOT TARGET castor_kernels)
  return()
endif()

include(CastorCuda)

set(kernels "${PROJECT_BINARY_DIR}/kernels")

# castor_systems_test(<name> SYSTEMS <system>... TINY <arguments of one run>... LIU <arguments of one run>...)
function(castor_systems_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SYSTEMS;TINY;LIU")
  set(check "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_systems.py" "${kernels}/${name}")
  list(JOIN arg_SYSTEMS "," systems)
  list(GET arg_TINY -1 last)
  castor_script_test(kernel_${name}_tiny KIND platform COMMAND ${check} tiny --systems ${systems} ${arg_TINY})
  castor_script_test(kernel_${name}_maxwell_liu13 KIND platform
    COMMAND ${check} maxwell_liu13 --systems ${systems} ${arg_LIU})
  castor_script_test(kernel_${name}_same_at_O0 KIND platform
    COMMAND ${check} tiny --against "${kernels}/${name}_O0" --systems ${systems} "${last}")
  set(names_of_systems ${names_of_systems} ${name} PARENT_SCOPE)
endfunction()

castor_systems_test(barriers_stencil
  SYSTEMS relaunch relaunch_sync barrier atomic flags neighbor interleave dp
  TINY "--width 1 --height 1 --inner 1" "--width 16 --height 16 --inner 3" "--width 64 --height 16 --inner 2 --blocks 1"
       "--width 17 --height 30 --inner 3 --rounds 50 --tolerance 2000000 --blocks 2"
  LIU "--width 90 --height 70 --inner 3 --rounds 1 --blocks 17")
castor_systems_test(barriers_bfs
  SYSTEMS relaunch barrier atomic flags dp queue
  TINY "road --nodes 1 --block 1" "citation --nodes 400 --block 256 --blocks 1" "random --nodes 100 --block 33"
       "road --nodes 60 --block 24 --blocks 2"
  LIU "random --nodes 500 --degree 5 --block 64 --blocks 3")
castor_systems_test(barriers_cnn
  SYSTEMS relaunch barrier atomic flags
  TINY "--side 1 --channels 1 --layers 1 --frames 1 --block 1" "--side 16 --channels 2 --layers 2 --block 128"
       "--side 7 --channels 3 --layers 2 --frames 2 --block 40"
  LIU "--side 13 --channels 8 --layers 2 --frames 1 --block 96")
castor_systems_test(rnn
  SYSTEMS relaunch barrier atomic flags
  TINY "--hidden 1 --inputs 1 --steps 1 --block 32" "--hidden 32 --inputs 100 --steps 3" "--hidden 29 --inputs 5 --steps 4 --block 128"
  LIU "--hidden 99 --inputs 64 --steps 3 --block 96")

castor_script_test(kernel_barriers_thresholds KIND platform
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/platform/barrier_thresholds_test.py" "${kernels}")
castor_script_test(kernel_barriers_arguments KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_arguments.py" "${kernels}" ${names_of_systems})

# The barriers alone, with stores just before them and lines that are read while others write to them.
set(program "${PROJECT_SOURCE_DIR}/tests/platform/programs/software_barriers")
castor_cuda_program(program_software_barriers SOURCES "${program}.cu" OPTIONS -O2 -std=c++17 LIBS castor_options)
set_target_properties(program_software_barriers PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/platform/programs")
foreach(machine IN ITEMS tiny kepler_k20c maxwell_liu13)
  castor_script_test(program_software_barriers_${machine} KIND platform ENVIRONMENT CASTOR_PLATFORM=${machine}
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/compare_output.py" "${program}.txt"
            "$<TARGET_FILE:program_software_barriers>")
endforeach()
