# install(EXPORT): everything that castor_library and castor_program have made, the headers, and the package files with
# which another project says find_package(Castor).

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
# "ptx/parser.h" and the like keep their own include root, so that such plain names do not lie in the user's.
foreach(room IN ITEMS sw/ptx sw/compiler sw/runtime platforms)
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${room}/*.h")
  cmake_path(GET room FILENAME name)
  install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/castor/sw/${name}")
endforeach()

# In a folder where find_package does not look: with the build's bin in PATH it would find these, which are for an
# installation alone.
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
