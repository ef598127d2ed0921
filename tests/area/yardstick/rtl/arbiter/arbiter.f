arbiter/castor_arbiter.sv
