castor_tests(lax_engine_tests KIND unit
  SOURCES lax/engine_golden_test.cpp lax/engine_registers_test.cpp lax/engine_events_test.cpp
          lax/engine_rates_test.cpp lax/engine_admission_test.cpp lax/engine_policy_test.cpp
          lax/engine_selection_test.cpp lax/engine_quiet_test.cpp lax/engine_submit_test.cpp
          lax/engine_reset_test.cpp
  LIBS castor_lax)
