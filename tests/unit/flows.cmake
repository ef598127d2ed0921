# What the flows over RTL read: liberty, Yosys' statistics, OpenSTA's and ABC's reports, file lists, binds.

castor_script_test(flows_parsing KIND rules
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/unit/flows_test.py" "${PROJECT_SOURCE_DIR}")
