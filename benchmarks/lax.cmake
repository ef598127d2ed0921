castor_benchmark(lax_engine SOURCES lax_engine.cpp LIBS castor_lax)
