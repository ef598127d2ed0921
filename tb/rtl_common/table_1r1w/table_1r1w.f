common/castor_table_1r1w.sv
