# cmake -DOUTPUT=<block.json> -DFIELDS=<file> -P manifest.cmake
# Writes the manifest of a block out of variables that FIELDS sets: strings NAME TYPE PORTS ENGINE COMPILER, and, if there,
# REGISTRATION RTL TB EVIDENCE FOLDER (where BUILD makes its objects); lists INCLUDE LIBRARIES BUILD SOURCES; HEADER, the port header, has the meaning; FACTS, installation.json, the abi.
include("${FIELDS}")

# `text` as a JSON string.
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
