set(castor_saws_reference saws/reference_machine.cpp saws/reference.cpp)
if(CASTOR_SANITIZE)
  # Sanitized tests are not optimised, but these run millions of cycles; the option of a source comes last and wins.
  list(TRANSFORM castor_saws_reference PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/unit/" OUTPUT_VARIABLE long)
  list(APPEND long "${CMAKE_CURRENT_SOURCE_DIR}/unit/saws/sequences_test.cpp")
  set_source_files_properties(${long} PROPERTIES COMPILE_OPTIONS -O1)
endif()
castor_test(saws_reference_test KIND unit SOURCES saws/reference_test.cpp ${castor_saws_reference} LIBS castor_twin)
castor_test(saws_sequences_test KIND unit SOURCES saws/sequences_test.cpp ${castor_saws_reference}
            LIBS castor_tb_saws TIMEOUT 300)
castor_test(saws_reference_engine_test KIND unit SOURCES saws/reference_engine_test.cpp ${castor_saws_reference}
            LIBS castor_tb castor_tb_saws castor_saws TIMEOUT 300)
