castor_tests(darsie_engine_tests KIND unit TIMEOUT 300
  SOURCES darsie/engine_golden_test.cpp darsie/engine_random_test.cpp
  LIBS castor_darsie)
