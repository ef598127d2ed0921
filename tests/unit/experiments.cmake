# Parts of castor-experiment that need no machine.
castor_test(experiment_parts KIND unit
  SOURCES experiment_parts_test.cpp "${PROJECT_SOURCE_DIR}/platforms/experiments/plot.cpp"
          "${PROJECT_SOURCE_DIR}/platforms/experiments/progress.cpp"
          "${PROJECT_SOURCE_DIR}/platforms/experiments/run_table.cpp"
  LIBS castor_workloads nlohmann_json::nlohmann_json CLI11::CLI11)
target_include_directories(experiment_parts PRIVATE "${PROJECT_SOURCE_DIR}")
