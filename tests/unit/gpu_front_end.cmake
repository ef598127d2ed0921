castor_test(
    gpu_front_end_dispatch_test KIND unit SOURCES gpu_front_end_dispatch_test.cpp LIBS castor_gpu castor_platforms)
    castor_test(gpu_front_end_packets_test KIND unit SOURCES gpu_front_end_packets_test.cpp LIBS castor_gpu
                    castor_platforms) castor_test(gpu_front_end_random_test KIND unit SOURCES
                                                      gpu_front_end_random_test.cpp LIBS castor_gpu castor_platforms)
        castor_test(gpu_front_end_hooks_test KIND unit SOURCES gpu_front_end_hooks_test.cpp LIBS castor_gpu
                        castor_platforms) castor_test(gpu_front_end_fault_test KIND unit SOURCES
                                                          gpu_front_end_fault_test.cpp LIBS castor_gpu castor_platforms)
