# Floating-point instructions against exact references. The long double functions of the C library are the reference of
# the approximate ones.
castor_test(isa_float_arithmetic_test KIND unit SOURCES isa_float_arithmetic_test.cpp LIBS castor_isa Boost::headers)
castor_test(isa_float_compare_test KIND unit SOURCES isa_float_compare_test.cpp LIBS castor_isa Boost::headers)
castor_test(isa_float_convert_test KIND unit SOURCES isa_float_convert_test.cpp LIBS castor_isa Boost::headers)
castor_test(isa_float_half_test KIND unit SOURCES isa_float_half_test.cpp LIBS castor_isa Boost::headers)
castor_test(isa_float_lanes_test KIND unit SOURCES isa_float_lanes_test.cpp LIBS castor_isa)
castor_test(isa_float_approx_test KIND unit SOURCES isa_float_approx_test.cpp LIBS castor_isa Boost::headers)
