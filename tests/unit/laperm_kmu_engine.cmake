# The engine's cycles worked by hand and its order without time; then the engine beside the rules as a slow machine.
castor_test(laperm_kmu_order_test KIND unit
  SOURCES laperm_kmu/order_test.cpp laperm_kmu/reference.cpp
  LIBS castor_laperm_kmu)
castor_test(laperm_kmu_reference_engine_test KIND unit
            SOURCES laperm_kmu/reference_engine_test.cpp laperm_kmu/reference.cpp
            LIBS castor_tb castor_tb_laperm_kmu castor_laperm_kmu TIMEOUT 600)
