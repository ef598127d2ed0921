castor_tests(runtime_tests KIND unit
  SOURCES runtime_host_functions_test.cpp runtime_host_threads_test.cpp runtime_module_test.cpp runtime_session_parts_test.cpp
  LIBS castor_runtime castor_platforms)
