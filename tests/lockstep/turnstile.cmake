# The contract's own test block: tests/twin/turnstile.
set(turnstile "${PROJECT_SOURCE_DIR}/tests/twin/turnstile")
add_library(castor_turnstile INTERFACE)
target_link_libraries(castor_turnstile INTERFACE castor_twin)
target_include_directories(castor_turnstile INTERFACE "${PROJECT_SOURCE_DIR}")
castor_block(turnstile
  RTL "${turnstile}"
  TB "${turnstile}"
  PORTS tests/twin/turnstile/ports.h
  ENGINE tests/twin/turnstile/engine.h)
castor_lockstep_test(turnstile RTL "${turnstile}" TB "${turnstile}")

if(CASTOR_BUILD_RTL)
  # Faults put into the RTL by hand, one at a time: each must be found.
  castor_parameter_set_("{\"odd\": {\"NumPorts\": 37, \"NumWays\": 3, \"Depth\": 7}}" odd)
  file(READ "${turnstile}/castor_turnstile.sv" rtl)
  set(faults
    "pointer|'0 : pick_port + 1'b1|'0 : pick_port"
    "stamp|now_i[15:0]}|now_i[16:1]}"
    "total|+ 12'd1|+ 12'd2"
    "beat|beat_q <= (period_q != 16'd0) &&|beat_q <="
    "served|(pick_port < pointer_q) ? '0|(pick_port <= pointer_q) ? '0")
  set(units "")
  set(folders "")
  foreach(fault IN LISTS faults)
    string(REPLACE "|" ";" parts "${fault}")
    list(GET parts 0 name)
    list(GET parts 1 from)
    list(GET parts 2 to)
    string(REPLACE "${from}" "${to}" faulty "${rtl}")
    if(faulty STREQUAL rtl)
      message(FATAL_ERROR "fault '${name}' changes nothing in castor_turnstile.sv")
    endif()
    file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/faults/${name}/castor_turnstile.sv" CONTENT "${faulty}" @ONLY)
    castor_verilate(Vfault_${name}
      TOP castor_turnstile_probe
      SOURCES "${turnstile}/turnstile.vlt" "${CMAKE_CURRENT_BINARY_DIR}/faults/${name}/castor_turnstile.sv"
              "${turnstile}/castor_turnstile_probe.sv"
      PARAMS ${params}
      OPTIONS -Wno-fatal)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/Vfault_${name}")
    list(APPEND folders "${folder}")
    list(APPEND units "${folder}/Vfault_${name}__ALL.cpp")
  endforeach()
  add_library(castor_turnstile_faults STATIC ${units})
  target_include_directories(castor_turnstile_faults SYSTEM PUBLIC ${folders})
  target_link_libraries(castor_turnstile_faults PUBLIC castor_verilated)
  # The program of the block over faulty RTL, for what the command line does then.
  add_executable(castor_cosim_faulty "${CMAKE_CURRENT_SOURCE_DIR}/lockstep/faulty_sets.cpp"
                  "${CMAKE_CURRENT_BINARY_DIR}/turnstile_main.cpp")
  target_link_libraries(castor_cosim_faulty PRIVATE castor_bench_turnstile castor_turnstile_faults castor_options)
  castor_test(twin_lockstep_test KIND lockstep SOURCES twin_lockstep_test.cpp
              LIBS castor_turnstile castor_rtl_turnstile castor_turnstile_faults)
  # The main of the tests goes before that of SystemC.
  castor_test(twin_module_test KIND lockstep SOURCES twin_module_test.cpp ISOLATED
              LIBS castor_test_isolated_main castor_turnstile castor_rtl_turnstile SystemC::systemc)
endif()
castor_test(twin_contract_test KIND unit SOURCES twin_contract_test.cpp LIBS castor_turnstile)
castor_test(cover_test KIND unit SOURCES cover_test.cpp LIBS castor_turnstile)
