# Floating-point instructions against exact references. The long double functions of the C library are the reference of
# the approximate ones.
castor_tests(isa_float_tests KIND unit EVERY_COMPILER
  SOURCES isa_float_arithmetic_test.cpp isa_float_compare_test.cpp isa_float_convert_test.cpp
          isa_float_half_test.cpp isa_float_lanes_test.cpp isa_float_approx_test.cpp
  LIBS castor_isa Boost::headers)
