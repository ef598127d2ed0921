# Usage: cmake -DOUTPUT=<file.cpp> "-DMACHINES=<file.yaml>|<file.yaml>..." -P embed_machines.cmake
# Writes the shipped machine files into a C++ source, so that a program needs no data files at run time. Files in a
# folder named base are not machines; machines extend them.
string(REPLACE "|" ";" MACHINES "${MACHINES}")
set(entries "")
foreach(file IN LISTS MACHINES)
  get_filename_component(name "${file}" NAME_WE)
  get_filename_component(folder "${file}" DIRECTORY)
  get_filename_component(folder "${folder}" NAME)
  set(is_base false)
  if(folder STREQUAL "base")
    set(is_base true)
  endif()
  file(READ "${file}" text)
  string(APPEND entries "    {\"${name}\", R\"castor(${text})castor\", ${is_base}},\n")
endforeach()
file(WRITE "${OUTPUT}"
  "#include \"platforms/machines.h\"\n\n"
  "namespace castor::platforms::detail {\n\n"
  "const std::vector<ShippedFile>& shipped_files() {\n"
  "  static const std::vector<ShippedFile> files = {\n${entries}  };\n"
  "  return files;\n}\n\n"
  "}  // namespace castor::platforms::detail\n")
