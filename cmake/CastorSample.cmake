# Chooses samples from large matrices of tests (program x machine, sequence x parameter set). A sample depends on names
# alone, so it is the same on every host. With CASTOR_TEST_MATRIX, which tests/campaign.sh uses, all tests run.

option(CASTOR_TEST_MATRIX "Test whole matrices instead of samples of them (hours)" OFF)

# castor_sample(<result> <seed> <number> <item>...)
#
# Sets <result> to the <number> items whose hashes with <seed> are smallest, in the order of the hashes. With
# CASTOR_TEST_MATRIX it sets <result> to all items in their own order.
function(castor_sample result seed number)
  if(CASTOR_TEST_MATRIX)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(ordered)
  foreach(item IN LISTS ARGN)
    string(MD5 hash "${seed} ${item}")
    list(APPEND ordered "${hash}|${item}")
  endforeach()
  list(SORT ordered)
  list(SUBLIST ordered 0 ${number} taken)
  list(TRANSFORM taken REPLACE "^[0-9a-f]+\\|" "")
  set(${result} ${taken} PARENT_SCOPE)
endfunction()

# castor_third(<result> <name>)
#
# Sets <result> to TRUE if the hash of <name> puts it into a sample of about one name in three, or with
# CASTOR_TEST_MATRIX.
function(castor_third result name)
  string(MD5 hash "${name}")
  string(SUBSTRING "${hash}" 0 2 hash)
  math(EXPR third "0x${hash} * 3 / 256")
  if(CASTOR_TEST_MATRIX OR third EQUAL 0)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# castor_unless_matrix(<result> <value>...)
#
# Sets <result> to the values, or to nothing with CASTOR_TEST_MATRIX. For arguments that only make a test do less.
function(castor_unless_matrix result)
  if(CASTOR_TEST_MATRIX)
    set(${result} "" PARENT_SCOPE)
  else()
    set(${result} ${ARGN} PARENT_SCOPE)
  endif()
endfunction()
