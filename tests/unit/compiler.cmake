# The compiler: modules over virtual registers to programs.
castor_test(compiler_run_test KIND unit SOURCES compiler_run_test.cpp
            LIBS castor_compiler castor_ptx castor_platforms castor_gpu)
castor_test(compiler_call_test KIND unit SOURCES compiler_call_test.cpp
            LIBS castor_compiler castor_ptx castor_platforms castor_gpu)
castor_test(compiler_control_flow_test KIND unit SOURCES compiler_control_flow_test.cpp
            LIBS castor_compiler castor_ptx castor_platforms castor_gpu)
castor_test(compiler_program_test KIND unit SOURCES compiler_program_test.cpp
            LIBS castor_compiler castor_ptx castor_platforms castor_gpu)
castor_test(compiler_corpus_test KIND unit SOURCES compiler_corpus_test.cpp
            LIBS castor_compiler castor_ptx castor_platforms castor_gpu)
