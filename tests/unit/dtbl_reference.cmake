castor_test(dtbl_reference_test KIND unit SOURCES dtbl/reference_test.cpp dtbl/reference.cpp LIBS castor_twin)
