# Blocks meet a machine: claims, and what is found and loaded.
castor_test(hookup_claims_test KIND unit SOURCES hookup/claims_test.cpp LIBS castor_platforms castor_hookup)

set(definitions "")
foreach(odd IN ITEMS "1;VERSION" "2;NAME" "3;NOTHING")
  list(GET odd 0 number)
  list(GET odd 1 name)
  add_library(castor_odd_object_${number} MODULE "${CMAKE_CURRENT_SOURCE_DIR}/unit/hookup/odd_object.cpp")
  target_compile_definitions(castor_odd_object_${number} PRIVATE ODD=${number})
  target_link_libraries(castor_odd_object_${number} PRIVATE castor_base castor_options)
  list(APPEND definitions CASTOR_ODD_${name}="$<TARGET_FILE:castor_odd_object_${number}>")
endforeach()
castor_test(hookup_loading_test KIND unit SOURCES hookup/loading_test.cpp LIBS castor_platforms castor_hookup
  DEPENDS castor_odd_object_1 castor_odd_object_2 castor_odd_object_3 castor_block_saws castor_model_saws)
target_compile_definitions(hookup_loading_test PRIVATE ${definitions})

# Objects of blocks that are built when they are asked for.
castor_test(twin_block_object_test KIND unit SOURCES twin_block_object_test.cpp LIBS castor_twin)

# A twin that is clocked lazily against one that is not.
castor_test(hookup_lazy_twin_test KIND unit SOURCES hookup/lazy_twin_test.cpp LIBS castor_hookup castor_turnstile)

# What waves of a block leave out.
foreach(block IN LISTS castor_ladder ITEMS turnstile)
  castor_test(hookup_running_probes_${block}_test KIND unit SOURCES hookup/running_probes_test.cpp LIBS castor_${block})
  set(header castor/${block}/engine.h)
  if("${block}" STREQUAL "turnstile")
    set(header tests/twin/turnstile/engine.h)
  endif()
  target_compile_definitions(hookup_running_probes_${block}_test PRIVATE
    CASTOR_ENGINE_HEADER="${header}" CASTOR_BLOCK=${block})
endforeach()
