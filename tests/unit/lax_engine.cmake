castor_test(lax_engine_golden_test KIND unit SOURCES lax/engine_golden_test.cpp LIBS castor_lax)
castor_test(lax_engine_registers_test KIND unit SOURCES lax/engine_registers_test.cpp LIBS castor_lax)
castor_test(lax_engine_events_test KIND unit SOURCES lax/engine_events_test.cpp LIBS castor_lax)
castor_test(lax_engine_rates_test KIND unit SOURCES lax/engine_rates_test.cpp LIBS castor_lax)
