saws/castor_saws_warps.sv
saws/castor_saws_sched.sv
saws/castor_saws_queue.sv
saws/castor_saws_scu.sv
saws/castor_saws.sv
