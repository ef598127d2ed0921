common/castor_table_1r1w.sv
common/castor_fifo.sv
