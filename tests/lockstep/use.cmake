# A block in a SystemC design by its pins: the same lines from model, RTL and lockstep. The text follows from the block's
# document: the verdict on a list of one kernel type comes 3 + 8 + NumQueues cycles after the header.
if(TARGET block_by_pins AND CASTOR_TEST_RTL)
  foreach(kind IN ITEMS model rtl lockstep)
    castor_script_test(block_by_pins_${kind}
      KIND lockstep
      COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/lockstep/expect.py"
              "${CMAKE_CURRENT_SOURCE_DIR}/lockstep/block_by_pins.txt" "$<TARGET_FILE:block_by_pins>" ${kind})
  endforeach()
  castor_test_needs_(lockstep block_by_pins)
endif()
if(TARGET castor AND CASTOR_TEST_RTL)
  castor_script_test(cosim_command_line
    KIND lockstep
    ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
    COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/lockstep/cli_test.py" "$<TARGET_FILE:castor>"
            "${PROJECT_BINARY_DIR}/tests/blocks/turnstile")
  castor_script_test(defaults_of_rtl_are_those_of_the_list
    KIND lockstep
    ENVIRONMENT "CASTOR_PREFIX=${PROJECT_BINARY_DIR}"
    COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/lockstep/defaults_test.py" "$<TARGET_FILE:castor>"
            "${PROJECT_BINARY_DIR}/tests/blocks/turnstile")
endif()

# Saved views, at the set that lockstep runs too.
foreach(block IN LISTS castor_blocks)
  if(TARGET castor AND CASTOR_TEST_RTL AND EXISTS "${PROJECT_SOURCE_DIR}/waveforms/${block}.gtkw")
    castor_script_test(view_of_${block} KIND lockstep
      COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/lockstep/view_check.py" "$<TARGET_FILE:castor>"
              "${PROJECT_SOURCE_DIR}/waveforms/${block}.gtkw")
  endif()
endforeach()
