castor_benchmark(saws_engine SOURCES saws_engine.cpp LIBS castor_saws)
