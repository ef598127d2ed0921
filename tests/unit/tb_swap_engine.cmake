# The engine's cycles worked by hand: the trace of an exchange, durations, classes, contexts, throttling, resets.
castor_tests(tb_swap_engine_tests KIND unit
  SOURCES tb_swap/engine_golden_test.cpp tb_swap/engine_timing_test.cpp tb_swap/engine_place_test.cpp
          tb_swap/engine_context_test.cpp tb_swap/engine_flow_test.cpp tb_swap/engine_reset_test.cpp
  LIBS castor_tb_swap)
