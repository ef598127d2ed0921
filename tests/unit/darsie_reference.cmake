# The reference with versions, the rules as a slow machine, and the stimulus, without the engine; then the engine beside
# both.
castor_tests(darsie_reference_tests KIND unit EVERY_COMPILER
  SOURCES darsie/reference_test.cpp darsie/sequences_test.cpp darsie/reference_engine_test.cpp
          darsie/engine_golden_test.cpp darsie/engine_legal_test.cpp
  SHARED darsie/literal.cpp darsie/literal_view.cpp darsie/reference.cpp darsie/run.cpp darsie/golden.cpp
  LIBS castor_tb castor_tb_darsie castor_darsie)
