castor_benchmark(replay SOURCES replay.cpp LIBS castor_platforms)
