castor_test(gpu_store_test KIND unit SOURCES gpu_store_test.cpp LIBS castor_gpu)
castor_test(gpu_printf_test KIND unit SOURCES gpu_printf_test.cpp LIBS castor_gpu)
castor_test(gpu_launch_check_test KIND unit SOURCES gpu_launch_check_test.cpp LIBS castor_platforms)
castor_test(gpu_memory_path_test KIND unit SOURCES gpu_memory_path_test.cpp LIBS castor_gpu)
castor_test(gpu_thread_block_test KIND unit SOURCES gpu_thread_block_test.cpp
            LIBS castor_ptx castor_compiler castor_platforms)
castor_test(gpu_functional_device_test KIND unit SOURCES gpu_functional_device_test.cpp
            LIBS castor_ptx castor_compiler castor_platforms)
castor_test(gpu_cycle_process_test KIND unit ISOLATED SOURCES gpu_cycle_process_test.cpp LIBS castor_gpu)
castor_test(gpu_lookout_test KIND unit SOURCES gpu_lookout_test.cpp LIBS castor_platforms)
