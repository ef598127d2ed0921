castor_tests(darsie_engine_tests KIND unit TIMEOUT 300
  SOURCES darsie/engine_errors_test.cpp darsie/engine_golden_test.cpp darsie/engine_legal_test.cpp
          darsie/engine_loads_test.cpp darsie/engine_majority_test.cpp darsie/engine_random_test.cpp
          darsie/engine_versions_test.cpp
  LIBS castor_darsie)
castor_test(darsie_adapter_test KIND unit SOURCES darsie/adapter_test.cpp
            LIBS castor_ptx castor_compiler castor_platforms castor_hookup_darsie)
castor_test(darsie_litmus_test KIND unit SOURCES darsie/litmus_test.cpp
            LIBS castor_ptx castor_compiler castor_platforms castor_hookup_darsie)
castor_test(darsie_compared_test KIND unit SOURCES darsie/compared_test.cpp
            LIBS castor_ptx castor_compiler castor_platforms castor_hookup_darsie)
