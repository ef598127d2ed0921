# Generators and readers of graphs of the CUDA programs; they need no device.
castor_test(kernels_graphs_test KIND unit SOURCES kernels_graphs_test.cpp)
# Tests of the CUDA programs' own result checks, on the host alone.
castor_test(kernels_verdict_test KIND unit SOURCES kernels_verdict_test.cpp)
target_include_directories(kernels_verdict_test SYSTEM PRIVATE "${PROJECT_SOURCE_DIR}/sw/device/include")
