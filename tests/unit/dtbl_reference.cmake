# The rules as a slow machine and queues without time; then the engine beside both.
set(castor_dtbl_reference dtbl/reference.cpp)
if(CASTOR_SANITIZE)
  # Sanitized tests are not optimised, but these run long; the option of a source comes last and wins.
  list(TRANSFORM castor_dtbl_reference PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/unit/" OUTPUT_VARIABLE long)
  set_source_files_properties(${long} PROPERTIES COMPILE_OPTIONS -O1)
endif()
castor_test(dtbl_reference_test KIND unit SOURCES dtbl/reference_test.cpp ${castor_dtbl_reference} LIBS castor_twin)
castor_test(dtbl_reference_engine_test KIND unit
            SOURCES dtbl/reference_engine_test.cpp ${castor_dtbl_reference}
            LIBS castor_tb castor_tb_dtbl castor_dtbl TIMEOUT 600)
