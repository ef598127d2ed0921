# Groups of thread blocks launched by device code, thread blocks placed where their parents were, and launches ordered by
# them: blocks dtbl, laperm and laperm_kmu on machines, and the same runs as model, RTL and in lockstep.

if(NOT TARGET castor_kernels OR NOT TARGET castor)
  return()
endif()
set(kernels "${PROJECT_BINARY_DIR}/kernels")
castor_script_test(kernel_groups KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/groups_test.py" "$<TARGET_FILE:castor>" "${kernels}")
castor_script_test(kernel_launch_order KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/launch_order_test.py" "$<TARGET_FILE:castor>"
          "$<TARGET_FILE:Castor::castor-cc>" "${kernels}")
# Thread blocks that are swapped out and restored on machines with the blocks.
set(check_moved "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_moved.py")
foreach(form IN ITEMS "dtbl packets" "cdp packets")
  string(REPLACE " packets" "" short "${form}")
  castor_script_test(groups_moved_${short} KIND platform
    COMMAND ${check_moved} "${kernels}/dynamic_regexp" "${form} --streams 1 --length 16" 1
            kepler_k20c,blocks.dtbl.enable=1 kepler_k20c,blocks.dtbl.enable=1,blocks.dtbl.dispatch=0,blocks.laperm.enable=1
            kepler_k20c,blocks.laperm.enable=1 kepler_k20c,blocks.laperm_kmu.enable=1)
endforeach()
if(NOT CASTOR_TEST_RTL)
  return()
endif()
castor_script_test(laperm_moved_lockstep KIND platform
  COMMAND ${check_moved} "${kernels}/dynamic_regexp" "dtbl packets --streams 1 --length 16" 1
          kepler_k20c,blocks.dtbl.enable=1,blocks.dtbl.engine=lockstep,blocks.dtbl.dispatch=0,blocks.laperm.enable=1,blocks.laperm.engine=lockstep)
castor_script_test(dtbl_kernel_engines KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_engines.py" dtbl kepler_k20c,blocks.dtbl.agt_size=64
          gpu.dtbl front_end.launch_unit.dtbl "${kernels}/dynamic_regexp" "dtbl packets --streams 3")
castor_script_test(laperm_kernel_engines KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_engines.py" laperm
          kepler_k20c,blocks.dtbl.enable=1,blocks.dtbl.dispatch=0,blocks.laperm.bank_depth=4
          gpu.laperm front_end.dispatch_policy.laperm "${kernels}/dynamic_regexp" "dtbl packets --streams 3")
castor_script_test(laperm_kmu_kernel_engines KIND platform
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/platform/check_engines.py" laperm_kmu
          kepler_k20c,table.entries=4 gpu.laperm_kmu front_end.source_order.laperm_kmu
          "${kernels}/dynamic_regexp" "cdp packets --streams 3")
