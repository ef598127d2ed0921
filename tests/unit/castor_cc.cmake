if(TARGET castor_cc_driver)
  castor_test(castor_cc_options_test KIND unit SOURCES castor_cc_options_test.cpp LIBS castor_cc_driver)
  castor_test(castor_cc_text_test KIND unit SOURCES castor_cc_text_test.cpp LIBS castor_cc_driver)
  castor_test(castor_cc_copies_test KIND unit SOURCES castor_cc_copies_test.cpp LIBS castor_cc_driver)
  castor_test(castor_cc_compile_test KIND unit SOURCES castor_cc_compile_test.cpp LIBS castor_cc_driver
              DEPENDS castor_cc TIMEOUT 400)
  target_compile_definitions(castor_cc_compile_test PRIVATE
    CASTOR_CC_PROGRAM="$<TARGET_FILE:castor_cc>" CASTOR_CC_CLANGXX="${CASTOR_CC_CLANGXX}")
endif()
