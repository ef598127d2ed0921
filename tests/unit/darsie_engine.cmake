castor_tests(darsie_engine_tests KIND unit EVERY_COMPILER
  SOURCES darsie/engine_errors_test.cpp darsie/engine_loads_test.cpp darsie/engine_majority_test.cpp
          darsie/engine_versions_test.cpp
  LIBS castor_darsie)
castor_tests(darsie_hookup_tests KIND unit
  SOURCES darsie/adapter_test.cpp darsie/litmus_test.cpp darsie/compared_test.cpp darsie/moved_test.cpp
  LIBS castor_ptx castor_compiler castor_platforms castor_hookup_darsie)
castor_tests(darsie_study_tests KIND unit
  SOURCES darsie/affine_study_test.cpp
  LIBS castor_ptx castor_compiler castor_platforms castor_hookup_darsie)
