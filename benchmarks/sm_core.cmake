castor_benchmark(sm_core SOURCES sm_core.cpp LIBS castor_ptx castor_compiler castor_platforms)
