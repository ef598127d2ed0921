castor_tests(ptx_tests KIND unit
  SOURCES ptx_calls_test.cpp ptx_constants_test.cpp ptx_corpus_test.cpp ptx_declarations_test.cpp ptx_forms_test.cpp
          ptx_operands_test.cpp ptx_parts_test.cpp
  LIBS castor_ptx)
