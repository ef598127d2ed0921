castor_test(gpu_replay_file_test KIND unit SOURCES gpu_replay_file_test.cpp LIBS castor_gpu)
castor_test(gpu_replay_service_test KIND unit SOURCES gpu_replay_service_test.cpp LIBS castor_gpu)
castor_test(gpu_replay_sm_test KIND unit SOURCES gpu_replay_sm_test.cpp LIBS castor_platforms)
# A device per process: SystemC elaborates once.
castor_test(gpu_replay_whole_test KIND unit SOURCES gpu_replay_whole_test.cpp LIBS castor_platforms ISOLATED)
castor_test(gpu_replay_preempt_test KIND unit SOURCES gpu_replay_preempt_test.cpp LIBS castor_platforms ISOLATED)
