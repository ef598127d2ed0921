castor_tests(base_tests KIND unit
  SOURCES base_error_test.cpp base_config_test.cpp base_running_call_test.cpp base_statistics_test.cpp
          base_support_test.cpp base_words_test.cpp
  LIBS castor_base spdlog::spdlog nlohmann_json::nlohmann_json)
