trial/castor_trial_arbiter.sv
trial/castor_trial.sv
