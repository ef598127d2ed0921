castor_test(lax_engine_golden_test KIND unit SOURCES lax/engine_golden_test.cpp LIBS castor_lax)
