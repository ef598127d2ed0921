castor_test(base_statistics_test KIND unit SOURCES base_statistics_test.cpp LIBS castor_base
            nlohmann_json::nlohmann_json)
