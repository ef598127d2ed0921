# Usage: cmake -DOUTPUT=<file.cpp> "-DFILES=<file.yaml>|<file.yaml>..." -P embed.cmake
# Writes the published values into a C++ source, so that the program needs no data files at run time.
string(REPLACE "|" ";" FILES "${FILES}")
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND entries "      {\"${name}\", R\"castor(${text})castor\"},\n")
endforeach()
file(WRITE "${OUTPUT}"
  "#include \"workloads/fidelity/published.h\"\n\n"
  "namespace castor::workloads::fidelity {\n\n"
  "const std::vector<DataFile>& data_files() {\n"
  "  static const std::vector<DataFile> files = {\n${entries}  };\n"
  "  return files;\n}\n\n"
  "}  // namespace castor::workloads::fidelity\n")
