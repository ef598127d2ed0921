castor_fuzz(ptx_fuzz SOURCES ptx_fuzz.cpp LIBS castor_ptx FOLLOW castor_ptx CORPUS corpus/ptx)
