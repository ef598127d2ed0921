castor_tests(gpu_trace_tests KIND unit
  SOURCES gpu_trace_timeline_test.cpp gpu_trace_waves_test.cpp gpu_trace_progress_test.cpp
  LIBS castor_platforms nlohmann_json::nlohmann_json)
castor_script_test(timeline_checker_finds_faults
  KIND unit
  COMMAND python3 "${CMAKE_CURRENT_SOURCE_DIR}/platform/check_timeline.py" --self-test)
