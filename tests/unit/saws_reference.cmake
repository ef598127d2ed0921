set(castor_saws_reference saws/reference_machine.cpp saws/reference.cpp)
castor_test(saws_reference_test KIND unit SOURCES saws/reference_test.cpp ${castor_saws_reference} LIBS castor_twin)
castor_test(saws_sequences_test KIND unit SOURCES saws/sequences_test.cpp ${castor_saws_reference}
            LIBS castor_tb_saws TIMEOUT 300)
castor_test(saws_reference_engine_test KIND unit SOURCES saws/reference_engine_test.cpp ${castor_saws_reference}
            LIBS castor_tb castor_tb_saws castor_saws TIMEOUT 300)
