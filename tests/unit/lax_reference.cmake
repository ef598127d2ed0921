# The reference in real numbers, the stimulus, and the engine beside both.
castor_tests(lax_reference_tests KIND unit EVERY_COMPILER
  SOURCES lax/reference_test.cpp lax/sequences_test.cpp lax/reference_engine_test.cpp
  SHARED lax/reference.cpp lax/follower.cpp lax/follower_machine.cpp
  LIBS castor_tb castor_tb_lax castor_lax Boost::headers)
# Suppresses a warning of Boost.Multiprecision 1.74 under GCC 12 about the other member of a union.
target_compile_options(lax_reference_tests PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
