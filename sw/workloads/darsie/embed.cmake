# Usage: cmake -DOUTPUT=<file.cpp> -DFILE=<energy.yaml> -P embed.cmake
# Writes the energy table into a C++ source, so that the program needs no data files at run time.
file(READ "${FILE}" text)
file(WRITE "${OUTPUT}"
  "#include \"workloads/darsie/energy.h\"\n\n"
  "namespace castor::workloads::darsie {\n\n"
  "const char* energy_text() {\n  return R\"castor(${text})castor\";\n}\n\n"
  "}  // namespace castor::workloads::darsie\n")
