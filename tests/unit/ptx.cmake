castor_test(ptx_declarations_test KIND unit SOURCES ptx_declarations_test.cpp LIBS castor_ptx)
castor_test(ptx_operands_test KIND unit SOURCES ptx_operands_test.cpp LIBS castor_ptx)
castor_test(ptx_corpus_test KIND unit SOURCES ptx_corpus_test.cpp LIBS castor_ptx)
castor_test(ptx_parts_test KIND unit SOURCES ptx_parts_test.cpp LIBS castor_ptx)
