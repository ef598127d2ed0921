if(TARGET castor_cc_driver)
  castor_tests(castor_cc_tests KIND unit
    SOURCES castor_cc_options_test.cpp castor_cc_text_test.cpp castor_cc_source_test.cpp castor_cc_copies_test.cpp
            castor_cc_locks_test.cpp
    LIBS castor_cc_driver)
  foreach(test IN ITEMS castor_cc_compile_test castor_cc_headers_test castor_cc_nvcc_test)
    castor_test(${test} KIND unit SOURCES ${test}.cpp LIBS castor_cc_driver DEPENDS castor_cc castor_cudart)
    target_compile_definitions(${test} PRIVATE CASTOR_CC_CLANGXX="${CASTOR_CC_CLANGXX}")
  endforeach()
endif()
