castor_@NAME@.sv
