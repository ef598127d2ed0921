castor_benchmark(isa_lanes SOURCES isa_lanes.cpp LIBS castor_isa)
