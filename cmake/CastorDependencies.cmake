# Every outside package is found here, once. Rooms link the imported targets and look for nothing themselves.
# Debian names: packages.txt.

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SystemC 2.3.4 REQUIRED)
