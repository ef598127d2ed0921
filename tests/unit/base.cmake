castor_test(base_error_test KIND unit SOURCES base_error_test.cpp LIBS castor_base)
castor_test(base_config_test KIND unit SOURCES base_config_test.cpp LIBS castor_base)
castor_test(base_support_test KIND unit SOURCES base_support_test.cpp LIBS castor_base spdlog::spdlog
            nlohmann_json::nlohmann_json)
