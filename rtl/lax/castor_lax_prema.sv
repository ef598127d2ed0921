// PREMA ranking: the largest token sets the threshold for candidates. If a candidate has a TB that does not fit, the
// running job with the smallest token below the threshold is the victim to preempt (docs/blocks/lax.md, "Policies").
// The first pass over all queues computes the threshold, the second pass ranks the jobs.
module castor_lax_prema #(
  parameter int unsigned QidWidth = 7
) (
  input  logic                clk_i,           // clock
  input  logic                rst_ni,          // synchronous reset, active low
  input  logic                soft_rst_i,      // software resets the engine at this edge
  input  logic                start_i,         // a ranking begins in the next cycle
  input  logic                threshold_i,     // first pass: computes the threshold
  input  logic                rank_i,          // second pass: ranks the jobs
  input  logic                last_i,          // last queue of the pass
  input  logic [QidWidth-1:0] qid_i,           // queue that is examined
  input  logic                live_i,          // the job of the queue is Ready or Running
  input  logic                running_i,       // the job may be preempted: kernel started, no request pending
  input  logic                unfit_i,         // the job has a TB that fits nowhere
  input  logic [23:0]         token_i,         // token of the job, 8 fraction bits
  output logic [3:0]          thr_o,           // threshold: 1, 3 or 9
  output logic                candidate_o,     // the token reaches the threshold: the job is a candidate
  output logic                blocked_o,       // a candidate has a TB that fits nowhere
  output logic                victim_valid_o,  // the ranking has found a job to preempt
  output logic [QidWidth-1:0] victim_qid_o     // queue of the job to preempt
);
  logic [3:0]          thr_q, thr_d;  // threshold: 1, 3 or 9
  logic [23:0]         mx_q, mx_d, victim_token_q, victim_token_d;  // mx: largest token; victim_token: victim's token
  // blocked_q: a candidate has a TB that fits nowhere. victim_valid_q: a victim was found. Both are cleared before the
  // ranking pass.
  logic                blocked_q, blocked_d, victim_valid_q, victim_valid_d;
  logic [QidWidth-1:0] victim_qid_q, victim_qid_d;  // queue of the victim

  assign thr_o          = thr_q;
  assign candidate_o    = (token_i >= {12'b0, thr_q, 8'b0});
  assign blocked_o      = blocked_q;
  assign victim_valid_o = victim_valid_q;
  assign victim_qid_o   = victim_qid_q;

  always_comb begin
    thr_d          = thr_q;
    mx_d           = mx_q;
    blocked_d      = blocked_q;
    victim_valid_d = victim_valid_q;
    victim_qid_d   = victim_qid_q;
    victim_token_d = victim_token_q;
    if (start_i) begin
      mx_d = '0;
    end
    if (threshold_i) begin
      if (live_i && token_i > mx_q) begin
        mx_d = token_i;
      end
      if (last_i) begin
        thr_d          = (mx_d >= 24'd2304) ? 4'd9 : ((mx_d >= 24'd768) ? 4'd3 : 4'd1);
        blocked_d      = 1'b0;
        victim_valid_d = 1'b0;
      end
    end
    if (rank_i && live_i) begin
      if (candidate_o) begin
        blocked_d = blocked_q || unfit_i;
      end else if (running_i && (!victim_valid_q || token_i <= victim_token_q)) begin
        victim_valid_d = 1'b1;
        victim_qid_d   = qid_i;
        victim_token_d = token_i;
      end
    end
    if (soft_rst_i) begin
      thr_d = 4'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      thr_q          <= 4'd1;
      mx_q           <= '0;
      blocked_q      <= 1'b0;
      victim_valid_q <= 1'b0;
      victim_qid_q   <= '0;
      victim_token_q <= '0;
    end else begin
      thr_q          <= thr_d;
      mx_q           <= mx_d;
      blocked_q      <= blocked_d;
      victim_valid_q <= victim_valid_d;
      victim_qid_q   <= victim_qid_d;
      victim_token_q <= victim_token_d;
    end
  end
endmodule
