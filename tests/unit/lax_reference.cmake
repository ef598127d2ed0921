castor_test(lax_reference_test KIND unit SOURCES lax/reference_test.cpp lax/reference.cpp LIBS castor_base)
target_link_libraries(lax_reference_test PRIVATE Boost::headers)
castor_test(lax_sequences_test KIND unit SOURCES lax/sequences_test.cpp LIBS castor_tb castor_tb_lax castor_lax TIMEOUT 300)
castor_test(lax_reference_engine_test KIND unit
            SOURCES lax/reference_engine_test.cpp lax/follower.cpp lax/follower_machine.cpp lax/reference.cpp
            LIBS castor_tb_lax castor_lax TIMEOUT 300)
target_link_libraries(lax_reference_engine_test PRIVATE Boost::headers)
# Boost.Multiprecision 1.74 under GCC 12: a union of which the other half is meant.
target_compile_options(lax_reference_engine_test PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
