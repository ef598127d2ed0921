castor_benchmark(sm_memory SOURCES sm_memory.cpp LIBS castor_platforms)
