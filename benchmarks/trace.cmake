castor_benchmark(trace SOURCES trace.cpp LIBS castor_platforms)
