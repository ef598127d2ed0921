# The instruction table and everything that is no floating point: integer, logic, memory, warp and control instructions.
castor_tests(isa_tests KIND unit EVERY_COMPILER
  SOURCES isa_integer_test.cpp isa_bits_test.cpp isa_warp_test.cpp isa_control_test.cpp isa_memory_test.cpp
          isa_table_test.cpp isa_variants_test.cpp isa_result_test.cpp
  LIBS castor_isa)
castor_test(isa_own_instruction_test KIND unit
  SOURCES isa_own_instruction_test.cpp "${PROJECT_SOURCE_DIR}/platforms/examples/hamming.cpp" LIBS castor_isa)
castor_script_test(coverage_document_is_up_to_date KIND unit
  COMMAND castor_coverage_document "${PROJECT_SOURCE_DIR}/docs/ptx-coverage.md")
