common/castor_table_2r1w.sv
