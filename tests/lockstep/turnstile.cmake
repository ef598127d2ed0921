# The contract's own test block.
add_library(castor_turnstile INTERFACE)
target_link_libraries(castor_turnstile INTERFACE castor_twin)
target_include_directories(castor_turnstile INTERFACE "${PROJECT_SOURCE_DIR}")
castor_block(turnstile
  RTL "${PROJECT_SOURCE_DIR}/tests/twin/turnstile"
  TB "${PROJECT_SOURCE_DIR}/tests/twin/turnstile"
  PORTS tests/twin/turnstile/ports.h
  ENGINE tests/twin/turnstile/engine.h)
