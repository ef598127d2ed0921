# Installs all targets of castor_library and castor_program, the headers, and the CMake package files that another
# project needs for find_package(Castor).

include(CMakePackageConfigHelpers)

get_property(castor_libraries GLOBAL PROPERTY CASTOR_LIBRARIES)
get_property(castor_programs GLOBAL PROPERTY CASTOR_PROGRAMS)

if(TARGET castor_base AND TARGET castor_isa)
  add_library(castor_models INTERFACE)
  add_library(Castor::models ALIAS castor_models)
  set_target_properties(castor_models PROPERTIES EXPORT_NAME models)
  target_link_libraries(castor_models INTERFACE castor_base castor_isa)
  list(APPEND castor_libraries castor_models)
endif()

set(castor_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Castor")

if(castor_libraries OR castor_programs)
  install(
    TARGETS ${castor_libraries} ${castor_programs}
    EXPORT CastorTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  castor_installs(TARGETS ${castor_libraries} ${castor_programs})
  install(EXPORT CastorTargets NAMESPACE Castor:: DESTINATION "${castor_package_dir}")
endif()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/models/castor" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")
# Headers such as "ptx/parser.h" are installed below an include root of their own (castor/sw), because names as common
# as ptx/ must not lie in the user's include folder.
foreach(room IN ITEMS sw/ptx sw/compiler sw/runtime platforms)
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${room}/*.h")
  cmake_path(GET room FILENAME name)
  install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/castor/sw/${name}")
endforeach()

# The package files are generated in a folder that find_package does not search, because they are valid only after
# installation. find_package also searches below the parents of folders in PATH, which may include the build's bin.
set(package "${PROJECT_BINARY_DIR}/share/castor/package")
set(castor_data_dir "${CMAKE_INSTALL_DATADIR}/castor")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/CastorConfig.cmake.in" "${package}/CastorConfig.cmake"
  INSTALL_DESTINATION "${castor_package_dir}" PATH_VARS castor_data_dir)
write_basic_package_version_file("${package}/CastorConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${package}/CastorConfig.cmake" "${package}/CastorConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/CastorBlock.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/CastorCuda.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindSystemC.cmake"
        DESTINATION "${castor_package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
