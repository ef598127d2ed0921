if(TARGET castor_platforms)
  castor_benchmark(memory_system SOURCES memory_system.cpp LIBS castor_platforms)
endif()
