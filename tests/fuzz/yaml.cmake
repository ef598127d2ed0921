castor_fuzz(yaml_fuzz SOURCES yaml_fuzz.cpp LIBS castor_platforms CORPUS corpus/yaml)
