// Computes the selection key of a job by policy (docs/blocks/lax.md, "Policies"). Combinational.
module castor_lax_key (
  input  logic                 enable_i,         // 1: a key is computed; 0: key_o is 0
  input  logic [3:0]           policy_i,         // register CTRL.POLICY
  input  logic                 prio_class_en_i,  // LAX: 0 puts all jobs into class 0
  input  logic [1:0]           init_prio_i,      // LAX, new job: 0 first, 1 last, 2 computed
  input  logic [31:0]          rem_i,            // remaining time of the job, cycles
  input  logic [31:0]          dur_i,            // time since the job's start, cycles
  input  logic [47:0]          start_i,          // start of the job
  input  logic [31:0]          deadline_i,       // deadline, cycles from the job's start; all ones: none
  input  logic [23:0]          token_i,          // PREMA: token of the job, 8 fraction bits
  input  logic [31:0]          iso_i,            // SJF, LJF: isolated time of the job, cycles
  input  logic [31:0]          qprio_i,          // EXT: priority written by software
  input  logic [3:0]           thr_i,            // PREMA: threshold 1, 3 or 9
  input  logic                 new_i,            // the job is being admitted
  output castor_lax_pkg::key_t key_o             // class and value; the smallest key has priority
);
  logic [31:0] compl_time;  // completion: remaining time + duration
  logic [33:0] dur_3;  // 3 x duration
  logic        best_effort, demoted;  // best_effort: no deadline; demoted: low priority under MLFQ

  assign compl_time  = castor_lax_pkg::sat52({19'b0, {1'b0, rem_i} + {1'b0, dur_i}});
  assign best_effort = (deadline_i == castor_lax_pkg::Inf);
  assign dur_3       = {2'b0, dur_i} + {1'b0, dur_i, 1'b0};
  // MLFQ: a job has low priority while its duration is between one and two thirds of its deadline.
  assign demoted = (dur_3 > {2'b0, deadline_i}) && !(dur_3 > {1'b0, deadline_i, 1'b0});

  always_comb begin
    key_o = '0;
    case (enable_i ? policy_i : castor_lax_pkg::PolicyRr)
      castor_lax_pkg::PolicyFcfs: key_o.value = start_i;
      castor_lax_pkg::PolicyEdf:  key_o.value = start_i + {16'b0, deadline_i};
      castor_lax_pkg::PolicySjf:  key_o.value = {16'b0, iso_i};
      castor_lax_pkg::PolicyLjf:  key_o.value = ~{16'b0, iso_i};
      castor_lax_pkg::PolicySrf:  key_o.value = {16'b0, rem_i};
      castor_lax_pkg::PolicyMlfq: key_o.class_ = {1'b0, demoted};
      castor_lax_pkg::PolicyPrema: begin
        if (token_i >= {12'b0, thr_i, 8'b0}) begin
          key_o.value = {16'b0, rem_i};
        end else begin
          key_o.class_ = 2'd1;
          key_o.value  = ~{24'b0, token_i};
        end
      end
      castor_lax_pkg::PolicyExt: key_o.value = {16'b0, qprio_i};
      castor_lax_pkg::PolicyLax: begin
        if (best_effort) begin
          key_o.class_ = 2'd2;
          key_o.value  = prio_class_en_i ? start_i : {16'b0, castor_lax_pkg::Inf};
        end else if (new_i && init_prio_i == 2'd0) begin
          key_o.value = '0;
        end else if (new_i && init_prio_i == 2'd1) begin
          key_o.class_ = 2'd3;
          key_o.value  = {16'b0, castor_lax_pkg::Inf};
        end else if (dur_i > deadline_i) begin
          key_o.class_ = 2'd3;
          key_o.value  = {16'b0, castor_lax_pkg::Inf};
        end else if (deadline_i > compl_time) begin
          key_o.value = {16'b0, deadline_i - compl_time};
        end else begin
          key_o.class_ = 2'd1;
          key_o.value  = {16'b0, compl_time};
        end
        if (!prio_class_en_i) begin
          key_o.class_ = 2'd0;
        end
      end
      default: key_o = '0;
    endcase
  end
endmodule
