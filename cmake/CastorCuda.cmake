# Builds CUDA programs with castor-cc, in this project and, after find_package(Castor), in any other project.
#
# castor_cuda_program(<target> SOURCES <file>... [OPTIONS <option>...] [DEPENDS <file or target>...] [LIBS <library>...])
#
# Creates an executable from CUDA (.cu) and C++ (.cpp) sources. castor-cc compiles each source with the OPTIONS, which
# are compiler options (-O3, -I..., -D..., -arch=sm_60). With -rdc=true the device code of all sources is linked
# together. The objects are linked with the CUDA runtime of Castor and with LIBS. CMake tracks the headers of a source
# through the dependency file that castor-cc writes; DEPENDS names further files or targets that the objects depend on.
# The target is an ordinary executable: install(TARGETS), add_test and properties such as OUTPUT_NAME apply. The list
# CASTOR_CC_LAUNCHER precedes castor-cc in each compile command, as CMAKE_CXX_COMPILER_LAUNCHER precedes a C++ compiler.
function(castor_cuda_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;OPTIONS;DEPENDS;LIBS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "castor_cuda_program(${target}): needs SOURCES; unknown: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(needed IN ITEMS Castor::castor-cc Castor::runtime)
    if(NOT TARGET ${needed})
      message(FATAL_ERROR "castor_cuda_program(${target}): there is no target ${needed}; was Castor built with it?")
    endif()
  endforeach()

  set(objects)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    cmake_path(GET source FILENAME name)
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${target}.dir/${name}.o")
    if(object IN_LIST objects)
      message(FATAL_ERROR "castor_cuda_program(${target}): two sources are called ${name}")
    endif()
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${target}.dir")
    add_custom_command(
      OUTPUT "${object}"
      COMMAND ${CASTOR_CC_LAUNCHER} $<TARGET_FILE:Castor::castor-cc> ${arg_OPTIONS} -MD -MF "${object}.d" -MT "${object}" -c "${source}" -o "${object}"
      DEPENDS "${source}" Castor::castor-cc ${arg_DEPENDS}
      DEPFILE "${object}.d"
      COMMENT "castor-cc ${name} (${target})"
      VERBATIM COMMAND_EXPAND_LISTS)
    list(APPEND objects "${object}")
  endforeach()

  if("-rdc=true" IN_LIST arg_OPTIONS OR "-dc" IN_LIST arg_OPTIONS)
    set(linked "${CMAKE_CURRENT_BINARY_DIR}/${target}.dir/device_link.o")
    add_custom_command(
      OUTPUT "${linked}"
      COMMAND Castor::castor-cc -dlink ${objects} -o "${linked}"
      DEPENDS ${objects} Castor::castor-cc
      COMMENT "castor-cc -dlink (${target})"
      VERBATIM)
    list(APPEND objects "${linked}")
  endif()

  add_executable(${target} ${objects})
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${target} PRIVATE ${arg_LIBS} Castor::runtime)
endfunction()
