castor_benchmark(darsie_engine SOURCES darsie_engine.cpp LIBS castor_darsie)
