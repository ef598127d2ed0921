darsie/castor_darsie_pkg.sv
darsie/castor_darsie_warps.sv
darsie/castor_darsie_skip.sv
darsie/castor_darsie_elect.sv
darsie/castor_darsie_rows.sv
darsie/castor_darsie_tbs.sv
darsie/castor_darsie_rename.sv
darsie/castor_darsie.sv
