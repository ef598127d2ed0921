// Kernel selection of the launcher (LaPerm): chooses the launch that enters the kernel table next
// (docs/blocks/laperm_kmu.md).
//
// Suspended thread blocks have the highest priority. Launches by device code wait in one list per SM and level. SMs are
// visited in round-robin order, and the lists of an SM are examined one per cycle, from the highest level down. Host
// queues have the lowest priority, in round-robin order. A source is offered until it is granted or no longer ready.
//
// Cost of one more unit of each parameter (docs/blocks/laperm_kmu.md, "Area"):
//   NumSm   one bit of the search over SMs; log2(NumSm) flip-flops in all
//   LvlMax  NumSm bits of the choice of a list, and one cycle per search
//   NumHq   one bit of the search over queues; log2(NumHq) flip-flops in all
module castor_laperm_kmu #(
  parameter int unsigned NumSm  = 13,  // SMs, 2..32
  parameter int unsigned LvlMax = 4,   // levels of launches by device code, 1..15
  parameter int unsigned NumHq  = 32,  // queues of the host, 1..128
  localparam int unsigned NumLists   = NumSm * LvlMax,
  localparam int unsigned NumSources = (NumLists > NumHq) ? NumLists : NumHq,
  localparam int unsigned IndexWidth = (NumSources > 1) ? $clog2(NumSources) : 1
) (
  input  logic clk_i,   // clock
  input  logic rst_ni,  // synchronous reset, active low

  // Ready sources. A list or host queue may be ready only while an entry of the kernel table is free.
  input  logic [NumLists-1:0] list_rdy_i,  // ready lists; SM s and level l: bit s * LvlMax + l - 1
  input  logic                susp_rdy_i,  // a suspended thread block is ready to resume
  input  logic [NumHq-1:0]    host_rdy_i,  // host queues with a kernel at their head

  output logic                  pick_valid_o,  // a source is offered
  output logic [1:0]            pick_kind_o,   // 1: list, 2: suspended thread block, 3: queue of the host
  output logic [IndexWidth-1:0] pick_idx_o,    // list: SM * LvlMax + level - 1; host queue: its number; else 0
  input  logic                  pick_grant_i   // the offered source is accepted
);
  if (NumSm < 2 || NumSm > 32) begin : gen_bad_num_sm
    $error("castor_laperm_kmu: NumSm must be 2..32");
  end
  if (LvlMax < 1 || LvlMax > 15) begin : gen_bad_lvl_max
    $error("castor_laperm_kmu: LvlMax must be 1..15");
  end
  if (NumHq < 1 || NumHq > 128) begin : gen_bad_num_hq
    $error("castor_laperm_kmu: NumHq must be 1..128");
  end

  localparam int unsigned SmWidth    = $clog2(NumSm);
  localparam int unsigned QueueWidth = (NumHq > 1) ? $clog2(NumHq) : 1;
  localparam int unsigned NumPow2    = 2 ** IndexWidth;

  typedef enum logic [1:0] {
    StIdle   = 2'd0,  // no source is chosen
    StSearch = 2'd1,  // examines the lists of one SM, one level per cycle
    StOffer  = 2'd2   // offers a source
  } state_e;

  typedef enum logic [1:0] {
    KindNone      = 2'd0,  // no source
    KindList      = 2'd1,  // list of launches by device code
    KindSuspended = 2'd2,  // suspended thread block
    KindHost      = 2'd3   // host queue
  } kind_e;

  state_e                state_q;
  kind_e                 kind_q;     // type of the offered source
  logic [IndexWidth-1:0] idx_q;      // Search: list that is examined; Offer: index of the offered source
  logic [SmWidth-1:0]    sm_q;       // SM of the examined or offered list
  logic [3:0]            level_q;    // level of the examined or offered list
  logic [SmWidth-1:0]    next_sm_q;  // SM that is visited first; the one after the SM granted last
  logic [QueueWidth-1:0] next_hq_q;  // host queue that is examined first; the one after the queue granted last

  // ---------------------------------------------------------------------------------------------------------------
  // SMs with a ready list; the next SM and the next host queue in round-robin order.
  logic [NumSm-1:0]      sms;
  logic [SmWidth-1:0]    sm;
  logic [QueueWidth-1:0] queue;

  always_comb begin
    for (int unsigned s = 0; s < NumSm; s++) begin
      sms[s] = (list_rdy_i[s*LvlMax +: LvlMax] != '0);
    end
  end

  castor_laperm_kmu_first #(
    .Num (NumSm)
  ) u_sm (
    .bits_i  (sms),
    .from_i  (next_sm_q),
    .first_o (sm)
  );

  castor_laperm_kmu_first #(
    .Num (NumHq)
  ) u_queue (
    .bits_i  (host_rdy_i),
    .from_i  (next_hq_q),
    .first_o (queue)
  );

  // ---------------------------------------------------------------------------------------------------------------
  // listed: the examined list is ready. ready: the offered source is ready.
  logic [NumPow2-1:0] lists, queues;
  logic               listed, ready;

  assign lists  = NumPow2'(list_rdy_i);
  assign queues = NumPow2'(host_rdy_i);
  assign listed = lists[idx_q];

  always_comb begin
    unique case (kind_q)
      KindSuspended: ready = susp_rdy_i;
      KindHost:      ready = queues[idx_q];
      default:       ready = listed;
    endcase
  end

  assign pick_valid_o = (state_q == StOffer);
  assign pick_kind_o  = pick_valid_o ? kind_q : KindNone;
  assign pick_idx_o   = pick_valid_o ? idx_q : '0;

  // ---------------------------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= StIdle;
      kind_q    <= KindNone;
      idx_q     <= '0;
      sm_q      <= '0;
      level_q   <= '0;
      next_sm_q <= '0;
      next_hq_q <= '0;
    end else begin
      unique case (state_q)
        StIdle: begin
          if (susp_rdy_i) begin
            state_q <= StOffer;
            kind_q  <= KindSuspended;
            idx_q   <= '0;
          end else if (sms != '0) begin
            state_q <= StSearch;
            sm_q    <= sm;
            level_q <= 4'(LvlMax);
            idx_q   <= IndexWidth'(sm) * IndexWidth'(LvlMax) + IndexWidth'(LvlMax - 1);
          end else if (host_rdy_i != '0) begin
            state_q <= StOffer;
            kind_q  <= KindHost;
            idx_q   <= IndexWidth'(queue);
          end
        end
        StSearch: begin
          if (listed) begin
            state_q <= StOffer;
            kind_q  <= KindList;
          end else if (level_q == 4'd1) begin
            state_q <= StIdle;
          end else begin
            level_q <= level_q - 1'b1;
            idx_q   <= idx_q - 1'b1;
          end
        end
        default: begin
          if (pick_grant_i || !ready) begin
            state_q <= StIdle;
          end
          if (pick_grant_i && (kind_q == KindList)) begin
            next_sm_q <= (sm_q == SmWidth'(NumSm - 1)) ? '0 : sm_q + 1'b1;
          end
          if (pick_grant_i && (kind_q == KindHost)) begin
            next_hq_q <= (idx_q == IndexWidth'(NumHq - 1)) ? '0 : QueueWidth'(idx_q) + 1'b1;
          end
        end
      endcase
    end
  end
endmodule
