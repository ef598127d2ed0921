castor_tests(gpu_replay_tests KIND unit
  SOURCES gpu_replay_file_test.cpp gpu_replay_service_test.cpp gpu_replay_sm_test.cpp
  LIBS castor_platforms)
# A device per process: SystemC elaborates once.
castor_tests(gpu_replay_device_tests KIND unit ISOLATED
  SOURCES gpu_replay_whole_test.cpp gpu_replay_preempt_test.cpp
  LIBS castor_platforms)
