# The same work gives the same report, byte for byte, run after run and with every build of the lane operations.

if(NOT TARGET castor_kernels)
  return()
endif()

foreach(run IN ITEMS
    "atomics --n 500"
    "bfs --k 9"
    "black_scholes --n 500"
    "cooperative_tiles --rows 7 --columns 50"
    "fft --log2n 6 --batch 3"
    "half_precision --n 1001"
    "math_functions --n 200"
    "matmul --n 48"
    "producer_consumer --stages 20 --items 3"
    "spin_lock --n 200"
    "streams --n 1000"
    "warp_primitives --warps 5")
  separate_arguments(words UNIX_COMMAND "${run}")
  list(POP_FRONT words name)
  castor_script_test(determinism_${name} KIND platform
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/determinism.py"
            "${PROJECT_BINARY_DIR}/kernels/${name}" ${words})
endforeach()
