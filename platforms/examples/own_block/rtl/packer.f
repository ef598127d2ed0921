castor_packer.sv
