castor_test(lax_reference_test KIND unit SOURCES lax/reference_test.cpp lax/reference.cpp LIBS castor_base)
target_link_libraries(lax_reference_test PRIVATE Boost::headers)
castor_test(lax_sequences_test KIND unit SOURCES lax/sequences_test.cpp LIBS castor_tb_lax castor_lax TIMEOUT 300)
