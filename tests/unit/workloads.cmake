castor_test(workloads_stream_test KIND unit SOURCES workloads/stream_test.cpp LIBS castor_workloads castor_platforms)
castor_test(workloads_lax_test KIND unit SOURCES workloads/lax_test.cpp LIBS castor_workloads castor_platforms)
castor_test(workloads_schedulers_test KIND unit SOURCES workloads/schedulers_test.cpp LIBS castor_workloads castor_platforms)
castor_test(workloads_claims_test KIND unit SOURCES workloads/claims_test.cpp LIBS castor_workloads castor_platforms)
castor_test(workloads_saws_claims_test KIND unit SOURCES workloads/saws_claims_test.cpp LIBS castor_workloads castor_platforms)
# A device per process: SystemC elaborates once.
castor_test(workloads_replay_host_test KIND unit SOURCES workloads/replay_host_test.cpp
            LIBS castor_workloads castor_platforms ISOLATED)
castor_test(workloads_device_host_test KIND unit SOURCES workloads/device_host_test.cpp
            LIBS castor_workloads castor_platforms ISOLATED)
