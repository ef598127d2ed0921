# castor_library(<target> SOURCES <file>... [DEPS <target>...] [PRIVATE_DEPS <target>...] [EXPORT_AS <name>])
#
# One room of the house: a static, position-independent library that sees the include roots models/ and sw/; without
# SOURCES one of headers alone.
# Known outside as Castor::<name>, where <name> is the target without "castor_" unless EXPORT_AS says otherwise.
#   DEPS          what the room's headers need (public)
#   PRIVATE_DEPS  what only its sources need
function(castor_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXPORT_AS" "SOURCES;DEPS;PRIVATE_DEPS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "castor_library(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_EXPORT_AS)
    string(REGEX REPLACE "^castor_" "" arg_EXPORT_AS "${target}")
    if(target STREQUAL "castor_runtime")  # Castor::runtime is the shared library that programs link (cudart/)
      set(arg_EXPORT_AS runtime_static)
    endif()
  endif()

  set(public PUBLIC)
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE_DEPS} "$<BUILD_INTERFACE:castor_options>")
  else()
    set(public INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(Castor::${arg_EXPORT_AS} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_EXPORT_AS} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} ${public} cxx_std_17)
  target_include_directories(${target} ${public}
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/models>"
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/sw>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/castor/sw>")
  target_link_libraries(${target} ${public} ${arg_DEPS})
  set_property(GLOBAL APPEND PROPERTY CASTOR_LIBRARIES ${target})
endfunction()

# castor_program(<target> SOURCES <file>... [LIBS <target>...] [OUTPUT_NAME <name>])
#
# An executable of the project, installed and known outside as Castor::<name>.
function(castor_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT_NAME" "SOURCES;LIBS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "castor_program(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_OUTPUT_NAME)
    set(arg_OUTPUT_NAME ${target})
  endif()
  add_executable(${target} ${arg_SOURCES})
  add_executable(Castor::${arg_OUTPUT_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT_NAME} EXPORT_NAME ${arg_OUTPUT_NAME})
  target_link_libraries(${target} PRIVATE ${arg_LIBS} "$<BUILD_INTERFACE:castor_options>")
  set_property(GLOBAL APPEND PROPERTY CASTOR_PROGRAMS ${target})
endfunction()
