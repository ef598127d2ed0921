# Makes `cmake --install` complete after a partial build. The target castor_installed builds every file of the build
# folder that an install rule names. A script, run before the install rules, builds that target if one of the files is
# missing.
#
# castor_installs([TARGETS <target>...] [FILES <file>...])
#
# Registers what an install rule installs; called beside each install rule. TARGETS are installed, or make the FILES,
# which are absolute paths.
function(castor_installs)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "TARGETS;FILES")
  foreach(target IN LISTS arg_TARGETS)
    set_property(GLOBAL APPEND PROPERTY CASTOR_INSTALLED_TARGETS ${target})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY CASTOR_INSTALLED_FILES ${arg_FILES})
endfunction()

# Adds the script that completes the build to the installation. Called before all install rules.
function(castor_complete_first)
  install(SCRIPT "${PROJECT_BINARY_DIR}/castor_complete.cmake")
endfunction()

# Creates the target castor_installed and generates the script that completes the build. Called after all install rules.
function(castor_complete_last)
  get_property(targets GLOBAL PROPERTY CASTOR_INSTALLED_TARGETS)
  get_property(files GLOBAL PROPERTY CASTOR_INSTALLED_FILES)
  list(REMOVE_DUPLICATES targets)
  add_custom_target(castor_installed)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL INTERFACE_LIBRARY)
      add_dependencies(castor_installed ${target})
    endif()
    if(type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE)_LIBRARY)$")
      list(APPEND files "$<TARGET_FILE:${target}>")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(CASTOR_COMPLETE_FILES "${files}")
  set(CASTOR_COMPLETE_BUILD "${CMAKE_BINARY_DIR}")
  cmake_host_system_information(RESULT CASTOR_COMPLETE_JOBS QUERY NUMBER_OF_LOGICAL_CORES)
  file(READ "${PROJECT_SOURCE_DIR}/cmake/complete.cmake.in" text)
  string(CONFIGURE "${text}" text @ONLY)
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/castor_complete.cmake" CONTENT "${text}")
endfunction()
