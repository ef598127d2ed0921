# What the flows over RTL read: liberty, Yosys' statistics, OpenSTA's and ABC's reports, file lists, binds.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

castor_script_test(flows_parsing KIND unit
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/unit/flows_test.py" "${PROJECT_SOURCE_DIR}")
