castor_tests(laperm_engine_tests KIND unit
  SOURCES laperm/engine_directed_test.cpp laperm/engine_drain_test.cpp laperm/engine_examination_test.cpp
          laperm/engine_golden_test.cpp
  LIBS castor_laperm)
