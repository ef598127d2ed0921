# Finds every external package. Other CMakeLists.txt link the imported targets and call no find_package for them.
# packages.txt has the Debian names.

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SystemC 2.3.4 REQUIRED)
