# castor mutate on a sample of the contract's test block. The mutants are built in this very build tree.
if(NOT CASTOR_BUILD_RTL OR NOT TARGET castor)
  return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)

foreach(block IN ITEMS turnstile lax saws)
  castor_mutants(${block})
endforeach()

castor_script_test(mutate_flow KIND mutation TIMEOUT 600
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/mutation/mutate_test.py" "$<TARGET_FILE:castor>")
