castor_test(lax_reference_test KIND unit SOURCES lax/reference_test.cpp lax/reference.cpp LIBS castor_base)
target_link_libraries(lax_reference_test PRIVATE Boost::headers)
