castor_test(gpu_sm_timing_test KIND unit SOURCES gpu_sm_timing_test.cpp gpu_sm_memory_double.cpp
            LIBS castor_ptx castor_compiler castor_platforms)
