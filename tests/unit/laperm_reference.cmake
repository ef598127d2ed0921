# The rules as a slow machine and queues without time; then the engine beside both.
castor_tests(laperm_reference_tests KIND unit EVERY_COMPILER
  SOURCES laperm/reference_test.cpp laperm/reference_runs_test.cpp laperm/reference_engine_test.cpp
  SHARED laperm/reference.cpp
  LIBS castor_tb castor_tb_laperm castor_laperm)
