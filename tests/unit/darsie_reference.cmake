# The reference with versions, the rules as a slow machine, and the stimulus, without the engine.
set(castor_darsie_reference darsie/literal.cpp darsie/reference.cpp darsie/run.cpp)
if(CASTOR_SANITIZE)
  # Sanitized tests are not optimised, but these run long; the option of a source comes last and wins.
  list(TRANSFORM castor_darsie_reference PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/unit/" OUTPUT_VARIABLE long)
  set_source_files_properties(${long} PROPERTIES COMPILE_OPTIONS -O1)
endif()
castor_test(darsie_reference_test KIND unit
            SOURCES darsie/reference_test.cpp darsie/golden.cpp ${castor_darsie_reference}
            LIBS castor_tb_darsie TIMEOUT 300)
castor_test(darsie_sequences_test KIND unit SOURCES darsie/sequences_test.cpp ${castor_darsie_reference}
            LIBS castor_tb_darsie TIMEOUT 600)
# The engine beside both, as soon as there is one.
if(TARGET castor_darsie)
  castor_test(darsie_reference_engine_test KIND unit
              SOURCES darsie/reference_engine_test.cpp darsie/golden.cpp ${castor_darsie_reference}
              LIBS castor_tb castor_tb_darsie castor_darsie TIMEOUT 600)
endif()
