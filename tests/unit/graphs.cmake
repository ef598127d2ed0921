# Generators and readers of graphs of the CUDA programs; they need no device.
castor_test(kernels_graphs_test KIND unit SOURCES kernels_graphs_test.cpp)
