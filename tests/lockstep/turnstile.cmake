# The contract's own test block: tests/twin/turnstile.
set(turnstile "tests/twin/turnstile")
castor_block(turnstile NO_INSTALL
  ROOT "${PROJECT_SOURCE_DIR}"
  RTL ${turnstile}
  TB ${turnstile}
  PORTS ${turnstile}/ports.h
  ENGINE ${turnstile}/engine.h
  FOLDER "${PROJECT_BINARY_DIR}/tests/blocks/turnstile")
castor_lockstep_test(turnstile RTL "${PROJECT_SOURCE_DIR}/${turnstile}" TB "${PROJECT_SOURCE_DIR}/${turnstile}")

castor_test(twin_contract_test KIND unit EVERY_COMPILER SOURCES twin_contract_test.cpp LIBS castor_turnstile)
castor_test(cover_test KIND unit SOURCES cover_test.cpp LIBS castor_turnstile castor_tb)
castor_test(edges_test KIND unit SOURCES edges_test.cpp LIBS castor_turnstile castor_tb)
if(CASTOR_TEST_RTL)
  castor_test(twin_lockstep_test KIND lockstep SOURCES twin_lockstep_test.cpp
              LIBS castor_turnstile nlohmann_json::nlohmann_json)
  castor_test(rtl_builder_test KIND lockstep SOURCES rtl_builder_test.cpp
              LIBS castor_turnstile nlohmann_json::nlohmann_json)
  # The main of the tests goes before that of SystemC.
  castor_test(twin_module_test KIND lockstep SOURCES twin_module_test.cpp ISOLATED
              LIBS castor_test_isolated_main castor_turnstile SystemC::systemc)
  foreach(test IN ITEMS twin_lockstep_test rtl_builder_test twin_module_test)
    add_dependencies(${test} castor_block_turnstile castor_bench_turnstile)
  endforeach()
endif()
