if(TARGET castor_platforms AND TARGET Castor::castor-cc)
  castor_benchmark(functional_machine
    SOURCES functional_machine.cpp
    LIBS castor_runtime castor_platforms)
  castor_benchmark_ptx(functional_machine matmul)
endif()
