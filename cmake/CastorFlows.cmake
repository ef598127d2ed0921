# The RTL, its properties and the flows over them (rtl/synthesis) as `castor area` and its kin look for them: share/castor,
# in the build as links to the sources, after installation as files.

foreach(folder IN ITEMS rtl tb)
  if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}")
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/share/castor")
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/share/castor/${folder}" SYMBOLIC)
    if(CASTOR_INSTALL)
      install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}" DESTINATION "${CMAKE_INSTALL_DATADIR}/castor"
              USE_SOURCE_PERMISSIONS
              FILES_MATCHING PATTERN "*.sv" PATTERN "*.svh" PATTERN "*.f" PATTERN "*.vlt" PATTERN "*.json" PATTERN "*.py"
              PATTERN "__pycache__" EXCLUDE)
    endif()
  endif()
endforeach()
