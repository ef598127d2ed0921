castor_tests(darsie_engine_tests KIND unit TIMEOUT 300
  SOURCES darsie/engine_errors_test.cpp darsie/engine_golden_test.cpp darsie/engine_legal_test.cpp
          darsie/engine_loads_test.cpp darsie/engine_majority_test.cpp darsie/engine_random_test.cpp
          darsie/engine_versions_test.cpp
  LIBS castor_darsie)
