# Idle cycles of the laxity engine's RTL.
if(CASTOR_TEST_RTL)
  castor_test(lax_skip_test KIND lockstep SOURCES lax_skip_test.cpp
              LIBS castor_lax castor_tb_lax castor_tb nlohmann_json::nlohmann_json)
endif()
