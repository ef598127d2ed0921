# The whole timing GPU against the closed forms and rules of docs/gpu.md, "Closed forms" and "Invariants".

if(NOT TARGET castor_gpu OR NOT TARGET castor_ptx OR NOT TARGET castor_compiler OR NOT TARGET castor_platforms)
  return()
endif()
foreach(name IN ITEMS bandwidth front latency)
  castor_test(timing_${name}_test KIND platform ISOLATED TIMEOUT 300
              SOURCES timing/${name}_test.cpp timing/rig.cpp timing/deviations.cpp
              LIBS castor_ptx castor_compiler castor_platforms)
endforeach()
