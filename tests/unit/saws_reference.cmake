# The reference, the stimulus, and the engine beside both.
castor_tests(saws_reference_tests KIND unit EVERY_COMPILER
  SOURCES saws/reference_test.cpp saws/sequences_test.cpp saws/reference_engine_test.cpp
  SHARED saws/reference_machine.cpp saws/reference.cpp
  LIBS castor_tb castor_tb_saws castor_saws castor_twin)
