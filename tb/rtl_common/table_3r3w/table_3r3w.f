common/castor_table_3r3w.sv
