# Random functions that the device and the host compute alike (device_functions.py): those of a fixed seed, and that the
# report of one that differs says what it should.

if(NOT TARGET castor_cc OR NOT TARGET castor_cudart OR CASTOR_SANITIZE)
  return()
endif()

set(device_functions "${PROJECT_SOURCE_DIR}/tests/fuzz/device_functions.py")
castor_script_test(device_functions_equal_those_of_the_host KIND fuzz
  COMMAND "${Python3_EXECUTABLE}" -B "${device_functions}" "$<TARGET_FILE:castor_cc>" --seed 1 --count 300)
castor_script_test(device_functions_that_differ_are_reported KIND fuzz
  COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/fuzz/device_functions_test.py" "$<TARGET_FILE:castor_cc>")
castor_test_needs_(fuzz castor_cc castor_cudart castor_device)
