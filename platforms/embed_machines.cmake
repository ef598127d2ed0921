# cmake -DOUTPUT=<file.cpp> "-DMACHINES=<file.yaml>|<file.yaml>..." -P embed_machines.cmake
# Writes the shipped machine files into a source, so that a program needs no data files where it runs.
string(REPLACE "|" ";" MACHINES "${MACHINES}")
set(entries "")
foreach(file IN LISTS MACHINES)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND entries "    {\"${name}\", R\"castor(${text})castor\"},\n")
endforeach()
file(WRITE "${OUTPUT}"
  "#include \"platforms/machines.h\"\n\n"
  "namespace castor::platforms::detail {\n\n"
  "const std::vector<ShippedMachine>& shipped_files() {\n"
  "  static const std::vector<ShippedMachine> files = {\n${entries}  };\n"
  "  return files;\n}\n\n"
  "}  // namespace castor::platforms::detail\n")
