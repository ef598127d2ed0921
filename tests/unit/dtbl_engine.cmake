castor_tests(dtbl_engine_tests KIND unit
  SOURCES dtbl/engine_directed_test.cpp dtbl/engine_golden_test.cpp
  LIBS castor_dtbl)
