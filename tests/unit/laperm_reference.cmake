# The rules as a slow machine and queues without time; then the engine beside both.
set(castor_laperm_reference laperm/reference.cpp)
if(CASTOR_SANITIZE)
  # Sanitized tests are not optimised, but these run long; the option of a source comes last and wins.
  list(TRANSFORM castor_laperm_reference PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/unit/" OUTPUT_VARIABLE long)
  set_source_files_properties(${long} PROPERTIES COMPILE_OPTIONS -O1)
endif()
castor_test(laperm_reference_test KIND unit
            SOURCES laperm/reference_test.cpp laperm/reference_runs_test.cpp ${castor_laperm_reference}
            LIBS castor_tb castor_tb_laperm TIMEOUT 600)
castor_test(laperm_reference_engine_test KIND unit
            SOURCES laperm/reference_engine_test.cpp ${castor_laperm_reference}
            LIBS castor_tb castor_tb_laperm castor_laperm TIMEOUT 600)
