# The engine's cycles worked by hand and its order without time; then the engine beside the rules as a slow machine.
castor_tests(laperm_kmu_tests KIND unit EVERY_COMPILER
  SOURCES laperm_kmu/order_test.cpp laperm_kmu/reference_engine_test.cpp
  SHARED laperm_kmu/reference.cpp
  LIBS castor_tb castor_tb_laperm_kmu castor_laperm_kmu)
