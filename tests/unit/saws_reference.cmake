castor_test(saws_reference_test KIND unit
            SOURCES saws/reference_test.cpp saws/reference_machine.cpp saws/reference.cpp LIBS castor_twin)
