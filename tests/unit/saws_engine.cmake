castor_tests(saws_engine_tests KIND unit EVERY_COMPILER
  SOURCES saws/engine_golden_test.cpp saws/engine_pick_test.cpp saws/engine_events_test.cpp
          saws/engine_reset_test.cpp saws/engine_random_test.cpp
  LIBS castor_saws)
castor_test(saws_statistics_test KIND unit SOURCES saws/statistics_test.cpp LIBS castor_hookup_saws)
