# CUDA programs built by castor-cc, for this project and, after find_package(Castor), for any other.
#
# castor_cuda_program(<target> SOURCES <file>... [OPTIONS <option>...] [DEPENDS <file or target>...] [LIBS <library>...])
#
# An executable from CUDA (.cu) and C++ (.cpp) sources. Each source is compiled by castor-cc with the OPTIONS, which are
# those of a compiler (-O3, -I..., -D..., -arch=sm_60); with -rdc=true device code is linked over the sources. The objects
# are linked with the CUDA runtime of Castor and with LIBS. The headers of a source are found by the compiler's own list
# of dependencies; DEPENDS names what else an object is made from. The target is an ordinary executable: install(TARGETS),
# add_test and properties such as OUTPUT_NAME apply. CASTOR_CC_LAUNCHER, a list, goes before castor-cc where it compiles, as
# CMAKE_CXX_COMPILER_LAUNCHER does before a compiler.
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
