common/castor_table_row.sv
