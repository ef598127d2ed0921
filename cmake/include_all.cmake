# Writes <PREFIX>__ALL.cpp: one translation unit of everything that Verilator wrote into FOLDER.
file(GLOB sources RELATIVE "${FOLDER}" "${FOLDER}/*.cpp")
list(SORT sources)
set(text "")
foreach(source IN LISTS sources)
  string(APPEND text "#include \"${source}\"\n")
endforeach()
file(WRITE "${FOLDER}/${PREFIX}__ALL.cpp" "${text}")
