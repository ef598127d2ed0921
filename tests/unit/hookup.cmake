# Tests of blocks on a machine: their claims, and how they are found and loaded.
castor_test(hookup_claims_test KIND unit SOURCES hookup/claims_test.cpp LIBS castor_platforms castor_hookup)
# The list of kernels that dispatch blocks share.
castor_test(hookup_waiting_kernels_test KIND unit SOURCES hookup/waiting_kernels_test.cpp LIBS castor_platforms castor_hookup)

# Objects that are wrong: built for another version, of another block, without the function that hands over.
foreach(odd IN ITEMS 1 2 3)
  castor_test_object(castor_odd_object_${odd} odd_object_${odd}
    SOURCES "${CMAKE_CURRENT_SOURCE_DIR}/unit/hookup/odd_object.cpp" LIBS castor_base)
  target_compile_definitions(castor_odd_object_${odd} PRIVATE ODD=${odd})
endforeach()
castor_test(hookup_loading_test KIND unit EVERY_COMPILER SOURCES hookup/loading_test.cpp LIBS castor_platforms castor_hookup
  DEPENDS castor_odd_object_1 castor_odd_object_2 castor_odd_object_3 castor_block_saws castor_model_saws)

# Blocks whose objects are built on demand.
castor_test(twin_block_object_test KIND unit SOURCES twin_block_object_test.cpp LIBS castor_twin)

# A twin that is clocked lazily against one that is not.
castor_test(hookup_lazy_twin_test KIND unit SOURCES hookup/lazy_twin_test.cpp LIBS castor_hookup castor_turnstile)

# Signals that the waves of a block leave out.
foreach(block IN LISTS castor_blocks ITEMS turnstile)
  castor_test(hookup_running_probes_${block}_test KIND unit SOURCES hookup/running_probes_test.cpp LIBS castor_${block})
  set(header castor/${block}/engine.h)
  if("${block}" STREQUAL "turnstile")
    set(header tests/twin/turnstile/engine.h)
  endif()
  target_compile_definitions(hookup_running_probes_${block}_test PRIVATE
    CASTOR_ENGINE_HEADER="${header}" CASTOR_BLOCK=${block})
endforeach()
