# cmake -DOUTPUT=<block.json> -DFIELDS=<file> -P manifest.cmake
# Writes block.json, the manifest of a block, from the variables that the CMake script FIELDS sets:
# - strings NAME TYPE PORTS ENGINE COMPILER, and optional strings REGISTRATION RTL TB EVIDENCE FOLDER (FOLDER: where the
#   command BUILD writes shared objects);
# - lists INCLUDE LIBRARIES BUILD SOURCES;
# - HEADER, the path of the port header, which defines the meaning of the block;
# - FACTS, the path of installation.json, which has the ABI string.
include("${FIELDS}")

# Sets `result` to `text` as a quoted JSON string.
function(quoted result text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()

file(READ "${HEADER}" header)
if(NOT header MATCHES "kMeaning[ \n]*=[ \n]*\"([^\"]*)\"")
  message(FATAL_ERROR "${HEADER}: no kMeaning = \"...\" of block ${NAME}")
endif()
set(MEANING "${CMAKE_MATCH_1}")
file(READ "${FACTS}" facts)
string(JSON ABI GET "${facts}" abi)

set(json "{}")
foreach(key IN ITEMS NAME MEANING ABI TYPE PORTS ENGINE REGISTRATION COMPILER RTL TB EVIDENCE FOLDER)
  if(NOT "${${key}}" STREQUAL "")
    string(TOLOWER "${key}" member)
    quoted(value "${${key}}")
    string(JSON json SET "${json}" "${member}" "${value}")
  endif()
endforeach()
foreach(key IN ITEMS INCLUDE LIBRARIES BUILD SOURCES)
  set(values "")
  foreach(text IN LISTS ${key})
    quoted(value "${text}")
    list(APPEND values "${value}")
  endforeach()
  list(JOIN values ", " values)
  string(TOLOWER "${key}" member)
  string(JSON json SET "${json}" "${member}" "[${values}]")
endforeach()
file(WRITE "${OUTPUT}" "${json}\n")
