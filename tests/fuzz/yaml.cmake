castor_fuzz(yaml_fuzz SOURCES yaml_fuzz.cpp LIBS castor_platforms FOLLOW castor_platforms castor_gpu_cold castor_base CORPUS corpus/yaml)
