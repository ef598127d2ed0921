# The compiler: modules over virtual registers to programs.
castor_tests(compiler_tests KIND unit
  SOURCES compiler_run_test.cpp compiler_call_test.cpp compiler_control_flow_test.cpp compiler_program_test.cpp
          compiler_recursion_test.cpp compiler_forms_test.cpp compiler_corpus_test.cpp compiler_marks_test.cpp
          compiler_barriers_test.cpp compiler_launch_test.cpp compiler_mark_oracle_test.cpp functional_redundancy_test.cpp
          compiler_ptx_list_test.cpp compiler_sites_test.cpp
  SHARED ptx_reference.cpp
  LIBS castor_compiler castor_ptx castor_platforms castor_gpu)
