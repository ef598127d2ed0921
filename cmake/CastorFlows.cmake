# RTL, properties, the flows over them (rtl/synthesis), what objects of blocks are made of (cmake/objects), the templates
# of a new block, examples, CUDA programs, saved views of waves and the Python package, as programs and people look for
# them: share/castor, in the build as links to the sources, after installation as files. What belongs to a block is
# castor_block's.

foreach(folder IN ITEMS rtl tb cmake/objects platforms/new_block platforms/examples platforms/python sw/kernels waveforms)
  cmake_path(GET folder FILENAME name)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/share/castor")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/share/castor/${name}" SYMBOLIC)
endforeach()
if(CASTOR_INSTALL)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/rtl/common" "${PROJECT_SOURCE_DIR}/rtl/synthesis"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/castor/rtl"
          USE_SOURCE_PERMISSIONS
          PATTERN "__pycache__" EXCLUDE)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/tb/rtl_common" DESTINATION "${CMAKE_INSTALL_DATADIR}/castor/tb")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/platforms/new_block" DESTINATION "${CMAKE_INSTALL_DATADIR}/castor")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/platforms/examples" DESTINATION "${CMAKE_INSTALL_DATADIR}/castor"
          PATTERN "__pycache__" EXCLUDE)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/platforms/python" "${PROJECT_SOURCE_DIR}/waveforms" DESTINATION "${CMAKE_INSTALL_DATADIR}/castor"
          PATTERN "__pycache__" EXCLUDE)
  # What `castor experiment` compiles when it needs it.
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/sw/kernels" DESTINATION "${CMAKE_INSTALL_DATADIR}/castor"
          PATTERN "CMakeLists.txt" EXCLUDE)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/cmake/objects" DESTINATION "${CMAKE_INSTALL_DATADIR}/castor"
          PATTERN "abi.cmake" EXCLUDE)
endif()
