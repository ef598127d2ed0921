# The rules as a slow machine and queues without time; then the engine beside both.
castor_tests(dtbl_reference_tests KIND unit EVERY_COMPILER
  SOURCES dtbl/reference_test.cpp dtbl/reference_engine_test.cpp
  SHARED dtbl/reference.cpp
  LIBS castor_tb castor_tb_dtbl castor_dtbl)
