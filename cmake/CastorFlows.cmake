# Fills share/castor, where programs and users find data files: links to the sources in the build folder, copies in an
# installation. It holds RTL, properties, the Python flows over RTL (rtl/synthesis), templates for shared objects of
# blocks (cmake/objects), templates of a new block, examples, CUDA programs, saved waveform views and the Python
# package. castor_block installs the RTL and test bench of each block.

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
  # `castor experiment` compiles these CUDA programs on demand.
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/sw/kernels" DESTINATION "${CMAKE_INSTALL_DATADIR}/castor"
          PATTERN "CMakeLists.txt" EXCLUDE)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/cmake/objects" DESTINATION "${CMAKE_INSTALL_DATADIR}/castor"
          PATTERN "abi.cmake" EXCLUDE)
endif()
