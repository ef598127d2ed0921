# Samples of large matrices of tests (program x machine, sequence x parameter set). What is in a sample depends on names
# alone, so that it is the same everywhere. CASTOR_TEST_MATRIX takes everything; tests/campaign.sh runs that.

option(CASTOR_TEST_MATRIX "Test whole matrices instead of samples of them (hours)" OFF)

# castor_sample(<result> <seed> <number> <item>...)
#
# Sets <result> to <number> of the items: those whose hashes with <seed> are the smallest, in that order. All of them, in
# their own order, with CASTOR_TEST_MATRIX.
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

# castor_third(<result> <name>): whether <name> is in a sample of about one in three, by its hash.
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
# Sets <result> to the values; with CASTOR_TEST_MATRIX to nothing: what a test is given only so that it does less.
function(castor_unless_matrix result)
  if(CASTOR_TEST_MATRIX)
    set(${result} "" PARENT_SCOPE)
  else()
    set(${result} ${ARGN} PARENT_SCOPE)
  endif()
endfunction()
