# The divider that blocks share, at full width against the arithmetic of C++.
if(CASTOR_TEST_RTL)
  castor_script_test(common_divider KIND lockstep
    COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/lockstep/common_divider_test.py" "${CASTOR_VERILATOR}"
            "${PROJECT_BINARY_DIR}/tests/common_divider")
endif()
