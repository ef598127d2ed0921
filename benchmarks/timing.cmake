if(TARGET castor_platforms AND TARGET Castor::castor-cc)
  castor_benchmark(timing_gpu
    SOURCES timing_gpu.cpp
    LIBS castor_runtime castor_platforms)
  castor_benchmark_ptx(timing_gpu matmul)
  castor_benchmark_ptx(timing_gpu bfs)
endif()
