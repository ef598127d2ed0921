common/castor_divider.sv
