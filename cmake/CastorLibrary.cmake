# castor_unity(<target> <files>|FOLDER)
#
# Compiles up to <files> sources of a target, or all sources of one folder, as one translation unit. Most compile time
# goes into headers of the standard library and of SystemC, which are then read once. CASTOR_UNITY=OFF compiles each
# source alone: a change then recompiles less, and tools that look at one source (clang-tidy) find its compile command.
function(castor_unity target files)
  if(NOT CASTOR_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(left)   # sources to be combined; paths relative to the project, so that the generated text (and the ccache key)
              # is the same in every clone
  set(units)  # sources of the target afterwards: combined units, and sources that are not combined
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${path}" in_tree)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${path}" generated)
    if(source MATCHES "^\\$<" OR NOT in_tree OR generated)
      list(APPEND units "${source}")
    else()
      cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
      list(APPEND left "${path}")
    endif()
  endforeach()
  set(number 0)
  while(left)
    if(files STREQUAL "FOLDER")
      list(GET left 0 first)
      cmake_path(GET first PARENT_PATH folder)
      set(batch ${left})
      list(FILTER batch INCLUDE REGEX "^${folder}/[^/]+$")
    else()
      list(SUBLIST left 0 ${files} batch)
    endif()
    list(REMOVE_ITEM left ${batch})
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/${target}_${number}.cpp")
    list(TRANSFORM batch REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN batch "" text)
    file(CONFIGURE OUTPUT "${unit}" CONTENT "${text}" @ONLY)
    list(APPEND units "${unit}")
    math(EXPR number "${number} + 1")
  endwhile()
  set_property(TARGET ${target} PROPERTY SOURCES ${units})
  target_include_directories(${target} PRIVATE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
endfunction()

# castor_cold(<target> [RUNS_BRIEFLY])
#
# Compiles a target with -O1, because no simulated cycle runs through its code and a short build matters more than
# speed. With sanitizers, whose checks are slow to optimise, and with RUNS_BRIEFLY the level is -O0.
function(castor_cold target)
  set(level -O1)
  if(CASTOR_SANITIZE OR "RUNS_BRIEFLY" IN_LIST ARGN)
    set(level -O0)
  endif()
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release,RelWithDebInfo>:${level}>")
endfunction()

# castor_library(<target> SOURCES <file>... [COLD <file>...|ALL] [UNITY <number>|FOLDER] [DEPS <target>...]
#                [PRIVATE_DEPS <target>...] [DEFINITIONS <definition>...] [OPTIONS <option>...] [EXPORT_AS <name>]
#                [INTERNAL])
#
# Creates a static, position-independent library with the include roots models/ and sw/. Without SOURCES it is a
# header-only library. Other projects see it as Castor::<name>, where <name> is EXPORT_AS or, by default, the target
# without "castor_".
#   COLD          SOURCES that do not run while cycles are simulated (tables, checks, reports, parsing, documents). They
#                 are compiled with -O1; all other sources with the optimisation level of the build type.
#   UNITY         how many sources are compiled as one (default 8), or FOLDER (see castor_unity)
#   DEPS          libraries that the headers of this library need (linked publicly)
#   PRIVATE_DEPS  libraries that only the sources of this library need
#   DEFINITIONS, OPTIONS  further definitions and compiler options for the sources of this library
#   INTERNAL      the library is not installed, because only this project uses it
function(castor_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERNAL" "EXPORT_AS;UNITY" "SOURCES;COLD;DEPS;PRIVATE_DEPS;DEFINITIONS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "castor_library(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_EXPORT_AS)
    string(REGEX REPLACE "^castor_" "" arg_EXPORT_AS "${target}")
    if(target STREQUAL "castor_runtime")  # the name Castor::runtime belongs to the shared library in cudart/
      set(arg_EXPORT_AS runtime_static)
    endif()
  endif()
  if(NOT arg_UNITY)
    set(arg_UNITY 8)
  endif()

  set(compiled ${target})  # targets that compile sources: the library and, for COLD sources, one object library
  set(public PUBLIC)
  if(NOT arg_SOURCES)
    add_library(${target} INTERFACE)
    set(public INTERFACE)
  elseif(arg_COLD STREQUAL "ALL")
    add_library(${target} STATIC ${arg_SOURCES})
    castor_cold(${target})
  else()
    set(hot)
    set(cold)
    foreach(source IN LISTS arg_SOURCES)
      string(REPLACE "${CMAKE_CURRENT_SOURCE_DIR}/" "" name "${source}")
      if(name IN_LIST arg_COLD)
        list(APPEND cold "${source}")
        list(REMOVE_ITEM arg_COLD "${name}")
      else()
        list(APPEND hot "${source}")
      endif()
    endforeach()
    if(arg_COLD)
      message(FATAL_ERROR "castor_library(${target}): COLD names what is not among the SOURCES: ${arg_COLD}")
    endif()
    if(cold)
      list(APPEND compiled ${target}_cold)
      add_library(${target}_cold OBJECT ${cold})
      castor_cold(${target}_cold)
      list(APPEND hot $<TARGET_OBJECTS:${target}_cold>)
    endif()
    add_library(${target} STATIC ${hot})
  endif()
  foreach(part IN LISTS compiled)
    set_target_properties(${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_features(${part} ${public} cxx_std_17)
    target_include_directories(${part} ${public}
      "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/models>"
      "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/sw>"
      "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
      "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/castor/sw>")
    target_link_libraries(${part} ${public} ${arg_DEPS})
    if(arg_SOURCES)
      target_link_libraries(${part} PRIVATE ${arg_PRIVATE_DEPS} "$<BUILD_INTERFACE:castor_options>")
      target_compile_definitions(${part} PRIVATE ${arg_DEFINITIONS})
      target_compile_options(${part} PRIVATE ${arg_OPTIONS})
      castor_unity(${part} ${arg_UNITY})
    endif()
  endforeach()

  add_library(Castor::${arg_EXPORT_AS} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_EXPORT_AS})
  if(NOT arg_INTERNAL)
    set_property(GLOBAL APPEND PROPERTY CASTOR_LIBRARIES ${target})
  endif()
endfunction()

# castor_program(<target> SOURCES <file>... [LIBS <target>...] [OUTPUT_NAME <name>] [UNITY <number>|FOLDER] [INTERNAL])
#
# Creates an executable that is installed, and that other projects see as Castor::<name>. Its own sources (command line,
# reports) are compiled with -O1. UNITY says how many sources are compiled as one (default 8), or FOLDER. An INTERNAL
# program is installed for other programs of Castor but is no target for other projects.
function(castor_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERNAL" "OUTPUT_NAME;UNITY" "SOURCES;LIBS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "castor_program(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_OUTPUT_NAME)
    set(arg_OUTPUT_NAME ${target})
  endif()
  if(NOT arg_UNITY)
    set(arg_UNITY 8)
  endif()
  add_executable(${target} ${arg_SOURCES})
  add_executable(Castor::${arg_OUTPUT_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT_NAME} EXPORT_NAME ${arg_OUTPUT_NAME})
  target_link_libraries(${target} PRIVATE ${arg_LIBS} "$<BUILD_INTERFACE:castor_options>")
  castor_cold(${target})
  castor_unity(${target} ${arg_UNITY})
  if(NOT arg_INTERNAL)
    set_property(GLOBAL APPEND PROPERTY CASTOR_PROGRAMS ${target})
  elseif(CASTOR_INSTALL)
    install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    castor_installs(TARGETS ${target})
  endif()
endfunction()
