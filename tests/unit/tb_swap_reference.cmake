# The rules without time and cycles worked out by hand; then the engine beside the rules, with tokens in all storage.
castor_tests(tb_swap_reference_tests KIND unit EVERY_COMPILER
  SOURCES tb_swap/reference_test.cpp tb_swap/reference_golden_test.cpp tb_swap/reference_engine_test.cpp
          tb_swap/sequences_test.cpp
  SHARED tb_swap/reference.cpp tb_swap/shadow.cpp
  LIBS castor_tb castor_tb_tb_swap castor_tb_swap)
