# Model against RTL for every block.
get_property(castor_blocks GLOBAL PROPERTY CASTOR_BLOCKS)
foreach(block IN LISTS castor_blocks)
  set(sequences "")
  if(EXISTS "${PROJECT_SOURCE_DIR}/tb/${block}/ci_sequences.txt")
    file(STRINGS "${PROJECT_SOURCE_DIR}/tb/${block}/ci_sequences.txt" sequences REGEX "^[a-z]")
  endif()
  castor_lockstep_test(${block} SEQUENCES ${sequences})
endforeach()

if(CASTOR_BUILD_RTL)
  castor_test(lax_skip_test KIND lockstep SOURCES lax_skip_test.cpp LIBS castor_lax castor_rtl_lax castor_tb_lax castor_tb)
endif()
