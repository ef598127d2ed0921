castor_tests(runtime_tests KIND unit
  SOURCES runtime_module_test.cpp runtime_session_parts_test.cpp
  LIBS castor_runtime castor_platforms)
