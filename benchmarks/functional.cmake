if(TARGET castor_platforms AND TARGET Castor::castor-cc)
  # The kernel of the tiled matrix multiply of sw/kernels, as PTX.
  set(castor_matmul_ptx "${CMAKE_CURRENT_BINARY_DIR}/matmul.ptx")
  add_custom_command(
    OUTPUT "${castor_matmul_ptx}"
    COMMAND Castor::castor-cc -O2 --ptx "${PROJECT_SOURCE_DIR}/sw/kernels/matmul.cu" -o "${castor_matmul_ptx}"
    DEPENDS "${PROJECT_SOURCE_DIR}/sw/kernels/matmul.cu" Castor::castor-cc
    VERBATIM)
  add_custom_target(castor_matmul_ptx DEPENDS "${castor_matmul_ptx}")
  castor_benchmark(functional_machine
    SOURCES functional_machine.cpp
    LIBS castor_runtime castor_platforms)
  add_dependencies(functional_machine castor_matmul_ptx)
  target_compile_definitions(functional_machine PRIVATE CASTOR_MATMUL_PTX="${castor_matmul_ptx}")
endif()
