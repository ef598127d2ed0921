# Builds hardware blocks, in this project and, after find_package(Castor), in any other project.
#
# castor_block(<name> [ROOT <folder>] [RTL <folder>] [TB <folder>] [INCLUDE <folder>...] [PORTS <header>] [ENGINE <header>]
#              [BENCH <header>] [REGISTRATION <header>] [TYPE <C++ type>] [EVIDENCE <file>] [LIBRARIES <target>...]
#              [FOLDER <folder>] [NO_INSTALL])
#
# Makes the block folder (castor/twin/block_folder.h) from the sources in ROOT (default: the folder of the calling
# CMakeLists.txt). The block folder is <build>/<libdir>/castor/blocks/<name>/ unless FOLDER names another one. Targets:
#   castor_block_<name>  builds block.json, the manifest
#   castor_model_<name>  builds model.so, the block as part of a GPU, if the block has a registration header
#   castor_bench_<name>  builds bench.so, the block in `castor cosim`
# Without NO_INSTALL it also adds the rules that install model.so, bench.so and block.json. A program of Castor finds
# the block folder if the environment variable CASTOR_BLOCKS names its parent folder.
#
#   argument      default                               meaning
#   RTL           rtl/<name>                            folder of <name>.f (the sources in order, relative to the parent
#                                                       folder, to this folder, or to the rtl/ of Castor), <name>.vlt
#                                                       (optional lint waivers) and parameter_sets.json; a block without
#                                                       RTL has no such folder
#   TB            tb/<name>                             castor_<name>_probe.sv, the verilated top; properties; skip.h
#                                                       and <name>.vlt if idle cycles need no clock (castor/twin/rtl.h)
#   INCLUDE       models                                include roots of the headers below, beside ROOT and Castor's own
#   PORTS         castor/<name>/ports.h
#   ENGINE        castor/<name>/engine.h
#   BENCH         tb/<name>/bench.h, if it exists       the block's own sequences and cover points: class Bench beside
#                                                       Block
#   REGISTRATION  castor/hookup/<name>/registration.h, if it exists   class Registration beside Block
#   TYPE          castor::<name>::Block
#   EVIDENCE      docs/blocks/<name>.evidence.json
#   LIBRARIES     none                                  further libraries that model.so and bench.so link
#
# The compiled sources are the library targets castor_<name>, castor_tb_<name> and castor_hookup_<name>. A target that
# does not exist yet is created from the .cpp files beside ENGINE, in TB, or beside REGISTRATION. A block that consists
# of headers alone has interface targets without sources.

set(CASTOR_BLOCK_DIR "${CMAKE_CURRENT_LIST_DIR}")

function(castor_block name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_INSTALL"
    "ROOT;RTL;TB;PORTS;ENGINE;BENCH;REGISTRATION;TYPE;EVIDENCE;FOLDER" "INCLUDE;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "castor_block(${name}): unknown: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  include(GNUInstallDirs)
  castor_block_default_(ROOT "${CMAKE_CURRENT_SOURCE_DIR}")
  cmake_path(ABSOLUTE_PATH arg_ROOT BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  castor_block_default_(RTL "${arg_ROOT}/rtl/${name}")
  castor_block_default_(TB "${arg_ROOT}/tb/${name}")
  castor_block_default_(INCLUDE "${arg_ROOT}/models")
  castor_block_default_(PORTS "castor/${name}/ports.h")
  castor_block_default_(ENGINE "castor/${name}/engine.h")
  castor_block_default_(TYPE "castor::${name}::Block")
  castor_block_default_(EVIDENCE "${arg_ROOT}/docs/blocks/${name}.evidence.json")
  castor_block_default_(FOLDER "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/castor/blocks/${name}")
  list(APPEND arg_INCLUDE "${arg_ROOT}")
  foreach(argument IN ITEMS RTL TB EVIDENCE FOLDER)
    cmake_path(ABSOLUTE_PATH arg_${argument} BASE_DIRECTORY "${arg_ROOT}" NORMALIZE)
  endforeach()
  foreach(folder IN LISTS arg_INCLUDE)
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${arg_ROOT}" NORMALIZE)
    list(APPEND include "${folder}")
  endforeach()
  if(NOT arg_BENCH AND EXISTS "${arg_ROOT}/tb/${name}/bench.h")
    set(arg_BENCH "tb/${name}/bench.h")
  endif()
  castor_block_find_(ports "${arg_PORTS}" ${include})
  castor_block_find_(engine "${arg_ENGINE}" ${include})
  if(NOT ports OR NOT engine)
    message(FATAL_ERROR "castor_block(${name}): no header ${arg_PORTS} or ${arg_ENGINE} in any of ${include}")
  endif()
  if(NOT arg_REGISTRATION)
    set(arg_REGISTRATION "castor/hookup/${name}/registration.h")
    castor_block_find_(registration "${arg_REGISTRATION}" ${include})
  else()
    castor_block_find_(registration "${arg_REGISTRATION}" ${include})
    if(NOT registration)
      message(FATAL_ERROR "castor_block(${name}): no header ${arg_REGISTRATION} in any of ${include}")
    endif()
  endif()

  cmake_path(GET engine PARENT_PATH engine_folder)
  castor_block_sources_(castor_${name} "${engine_folder}" "${include}" Castor::twin)
  target_link_libraries(castor_${name} ${castor_block_scope_} ${arg_LIBRARIES})
  set(libraries castor_${name} ${arg_LIBRARIES})

  # bench.so
  set(CASTOR_NAME ${name})
  set(CASTOR_ENGINE ${arg_ENGINE})
  set(CASTOR_BENCH_INCLUDE "")
  set(CASTOR_BENCH_TYPE "castor::tb::Bench<${arg_TYPE}>")
  if(arg_BENCH)
    set(CASTOR_BENCH_INCLUDE "#include \"${arg_BENCH}\"")
    string(REGEX REPLACE "Block$" "Bench" CASTOR_BENCH_TYPE "${arg_TYPE}")
  endif()
  castor_block_sources_(castor_tb_${name} "${arg_TB}" "${include}" castor_${name} Castor::tb)
  castor_block_object_(castor_bench_${name} bench "castor_tb_${name};castor_${name};Castor::tb")

  # model.so
  set(objects castor_bench_${name})
  if(registration)
    set(CASTOR_REGISTRATION ${arg_REGISTRATION})
    string(REGEX REPLACE "Block$" "Registration" CASTOR_REGISTRATION_TYPE "${arg_TYPE}")
    cmake_path(GET registration PARENT_PATH registration_folder)
    castor_block_sources_(castor_hookup_${name} "${registration_folder}" "${include}" castor_${name} Castor::adapter)
    castor_block_object_(castor_model_${name} model "castor_hookup_${name};castor_${name};Castor::twin")
    list(APPEND objects castor_model_${name})
  endif()

  castor_block_manifest_()
  add_custom_target(castor_block_${name} ALL DEPENDS "${arg_FOLDER}/block.json")
  if(TARGET castor_facts)
    add_dependencies(castor_block_${name} castor_facts)
  endif()
  if(NOT arg_NO_INSTALL)
    castor_block_install_()
  endif()
endfunction()

# Sets arg_<argument> to `value` if the call of castor_block did not set it.
macro(castor_block_default_ argument value)
  if(NOT arg_${argument})
    set(arg_${argument} "${value}")
  endif()
endmacro()

# Sets `result` to the path of `header` in the first folder of ARGN that has it, or to nothing if none has it.
function(castor_block_find_ result header)
  set(${result} "" PARENT_SCOPE)
  foreach(folder IN LISTS ARGN)
    if(EXISTS "${folder}/${header}")
      set(${result} "${folder}/${header}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Creates the library `target` from the .cpp files in `folder`, unless the target exists already. A folder without .cpp
# files gives an interface library. Sets castor_block_scope_ to the scope in which `target` links further libraries.
function(castor_block_sources_ target folder include)
  if(NOT TARGET ${target})
    file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
    set(kind STATIC)
    set(scope PUBLIC)
    if(NOT sources)
      set(kind INTERFACE)
      set(scope INTERFACE)
    endif()
    add_library(${target} ${kind} ${sources})
    target_compile_features(${target} ${scope} cxx_std_17)
    target_include_directories(${target} ${scope} ${include})
    target_link_libraries(${target} ${scope} ${ARGN})
    if(kind STREQUAL STATIC)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      if(TARGET castor_options)
        target_link_libraries(${target} PRIVATE castor_options)
      endif()
    endif()
  endif()
  get_target_property(kind ${target} TYPE)
  set(castor_block_scope_ PUBLIC PARENT_SCOPE)
  if(kind STREQUAL INTERFACE_LIBRARY)
    set(castor_block_scope_ INTERFACE PARENT_SCOPE)
  endif()
endfunction()

# Builds the shared object <FOLDER>/<kind>.so from the generated <kind>.cpp. Reads variables of castor_block.
function(castor_block_object_ target kind libraries)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
  configure_file("${CASTOR_OBJECTS_DIR}/${kind}.cpp.in" "${source}" @ONLY)
  add_library(${target} MODULE "${source}")
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${kind} SUFFIX .so LIBRARY_OUTPUT_DIRECTORY "${arg_FOLDER}"
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS "${CASTOR_OBJECTS_DIR}/exports.map")
  target_include_directories(${target} PRIVATE ${include})
  target_link_libraries(${target} PRIVATE ${libraries})
  if(TARGET castor_options)
    target_link_libraries(${target} PRIVATE castor_options)
  endif()
  target_link_options(${target} PRIVATE "LINKER:--version-script=${CASTOR_OBJECTS_DIR}/exports.map")
  # With sanitizers their runtime functions are defined in the program, so undefined symbols are allowed.
  if(NOT CASTOR_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()
endfunction()

# Generates block.json in FOLDER, with absolute paths, and the manifest that is installed, with paths relative to it, as
# <name>_manifest.installed.json in the current binary folder. Reads variables of castor_block.
function(castor_block_manifest_)
  set(plugs "")
  if(registration)
    set(plugs "${arg_REGISTRATION}")
  endif()
  set(common "set(NAME \"${name}\")\nset(REGISTRATION \"${plugs}\")\nset(TYPE \"${arg_TYPE}\")\nset(PORTS \"${arg_PORTS}\")\nset(ENGINE \"${arg_ENGINE}\")\n")
  string(APPEND common "set(COMPILER \"${CMAKE_CXX_COMPILER}\")\nset(HEADER \"${ports}\")\nset(FACTS \"${CASTOR_FACTS}\")\n")
  set(archives "")
  set(installed_archives "")
  foreach(library IN LISTS libraries)
    get_target_property(kind ${library} TYPE)
    if(kind STREQUAL STATIC_LIBRARY)
      list(APPEND archives "$<TARGET_FILE:${library}>")
      list(APPEND installed_archives "../../../$<TARGET_FILE_NAME:${library}>")
    endif()
  endforeach()
  set(built "${common}set(INCLUDE \"${include}\")\nset(LIBRARIES \"${archives}\")\n")
  string(APPEND built "set(FOLDER \"${arg_FOLDER}\")\n")
  string(APPEND built "set(BUILD \"${CMAKE_COMMAND};--build;${CMAKE_BINARY_DIR};--target\")\n")
  # A shared object is rebuilt on request if one of these is younger: the folders of the block, and CASTOR_FACTS, which
  # is written anew when a header of Castor changes.
  set(sources "${engine_folder}" ${CASTOR_FACTS})
  cmake_path(GET ports PARENT_PATH ports_folder)
  list(APPEND sources "${ports_folder}")
  if(registration)
    list(APPEND sources "${registration_folder}")
  endif()
  if(IS_DIRECTORY "${arg_TB}")
    list(APPEND sources "${arg_TB}")
  endif()
  list(REMOVE_DUPLICATES sources)
  string(APPEND built "set(SOURCES \"${sources}\")\n")
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY
             "${CMAKE_INSTALL_FULL_LIBDIR}/castor/blocks/${name}" OUTPUT_VARIABLE to_include)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_DATADIR BASE_DIRECTORY
             "${CMAKE_INSTALL_FULL_LIBDIR}/castor/blocks/${name}" OUTPUT_VARIABLE to_data)
  set(installed "${common}set(INCLUDE \"${to_include}\")\nset(LIBRARIES \"${installed_archives}\")\nset(BUILD \"\")\n")
  foreach(key IN ITEMS RTL TB)
    string(TOLOWER "${key}" folder)
    if(IS_DIRECTORY "${arg_${key}}")
      string(APPEND built "set(${key} \"${arg_${key}}\")\n")
      string(APPEND installed "set(${key} \"${to_data}/castor/${folder}/${name}\")\n")
    endif()
  endforeach()
  set(depends "")
  if(EXISTS "${arg_EVIDENCE}")
    string(APPEND built "set(EVIDENCE \"${arg_EVIDENCE}\")\n")
    string(APPEND installed "set(EVIDENCE \"evidence.json\")\n")
  endif()
  set(fields "${CMAKE_CURRENT_BINARY_DIR}/${name}_manifest")
  file(GENERATE OUTPUT "${fields}.cmake" CONTENT "${built}")
  file(GENERATE OUTPUT "${fields}.installed.cmake" CONTENT "${installed}")
  set(script "${CASTOR_OBJECTS_DIR}/manifest.cmake")
  add_custom_command(
    OUTPUT "${arg_FOLDER}/block.json" "${fields}.installed.json"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${arg_FOLDER}/block.json" "-DFIELDS=${fields}.cmake" -P "${script}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${fields}.installed.json" "-DFIELDS=${fields}.installed.cmake" -P "${script}"
    DEPENDS "${fields}.cmake" "${fields}.installed.cmake" "${ports}" "${CASTOR_FACTS}" "${script}"
    COMMENT "Manifest of block ${name}"
    VERBATIM)
  set(castor_block_installed_manifest_ "${fields}.installed.json" PARENT_SCOPE)
endfunction()

# Adds the rules that install the block. Reads variables of castor_block.
function(castor_block_install_)
  if(DEFINED CASTOR_INSTALL AND NOT CASTOR_INSTALL)
    return()
  endif()
  set(place "${CMAKE_INSTALL_LIBDIR}/castor/blocks/${name}")
  install(TARGETS ${objects} LIBRARY DESTINATION "${place}")
  castor_block_installs_(TARGETS ${objects} castor_block_${name} FILES "${castor_block_installed_manifest_}")
  install(FILES "${castor_block_installed_manifest_}" DESTINATION "${place}" RENAME block.json)
  if(EXISTS "${arg_EVIDENCE}")
    install(FILES "${arg_EVIDENCE}" DESTINATION "${place}" RENAME evidence.json)
  endif()
  foreach(key IN ITEMS RTL TB)
    string(TOLOWER "${key}" folder)
    if(IS_DIRECTORY "${arg_${key}}")
      install(DIRECTORY "${arg_${key}}/" DESTINATION "${CMAKE_INSTALL_DATADIR}/castor/${folder}/${name}"
              FILES_MATCHING PATTERN "*.sv" PATTERN "*.svh" PATTERN "*.v" PATTERN "*.f" PATTERN "*.vlt" PATTERN "*.json"
              PATTERN "skip.h")
    endif()
  endforeach()
  # Installs the headers in the engine's folder, and the static libraries that the manifest names.
  cmake_path(GET arg_ENGINE PARENT_PATH headers)
  install(DIRECTORY "${engine_folder}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${headers}" FILES_MATCHING PATTERN "*.h")
  foreach(library IN LISTS libraries)
    get_target_property(kind ${library} TYPE)
    get_target_property(imported ${library} IMPORTED)
    get_property(known GLOBAL PROPERTY CASTOR_LIBRARIES)
    if(kind STREQUAL STATIC_LIBRARY AND NOT imported AND NOT library IN_LIST known)
      install(FILES "$<TARGET_FILE:${library}>" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
      castor_block_installs_(TARGETS ${library})
    endif()
  endforeach()
endfunction()

# Registers targets or files with castor_installs, so that `cmake --install` of Castor builds missing files first
# (CastorComplete.cmake). In another project, which has no castor_installs, it does nothing.
macro(castor_block_installs_)
  if(COMMAND castor_installs)
    castor_installs(${ARGN})
  endif()
endmacro()
