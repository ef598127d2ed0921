// Test block of the twin contract: an arbiter with a queue, a timer and registers.
//
// While the queue has room, the first port at or behind the pointer that wants to pass is offered. A grant lets it pass:
// it enters the queue, and the pointer moves behind it.

module castor_turnstile #(
  parameter int unsigned NumPorts = 96,
  parameter int unsigned NumWays  = 3,
  parameter int unsigned Depth    = 5,
  localparam int unsigned PortW   = (NumPorts > 1) ? $clog2(NumPorts) : 1,
  localparam int unsigned WayW    = (NumWays > 1) ? $clog2(NumWays) : 1,
  localparam int unsigned SlotW   = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                  clk_i,         // clock
  input  logic                  rst_ni,        // synchronous reset, active low
  input  logic [47:0]           now_i,         // cycle counter
  input  logic [NumPorts-1:0]   req_i,         // ports that want to pass
  input  logic                  pick_grant_i,  // the port offered passes
  input  logic [NumWays*4-1:0]  weight_i,      // weight of what passes on each way
  input  logic                  out_ready_i,   // the head of the queue is taken
  input  logic                  reg_req_i,     // register access, held until reg_ack
  input  logic                  reg_we_i,      // 1: write
  input  logic [15:0]           reg_addr_i,    // byte address
  input  logic [31:0]           reg_wdata_i,   // data of a write
  output logic                  pick_valid_o,  // a port is offered
  output logic [PortW-1:0]      pick_port_o,   // which
  output logic                  out_valid_o,   // the queue is not empty
  output logic [PortW-1:0]      out_port_o,    // port of its head
  output logic [3:0]            out_weight_o,  // weight when it passed
  output logic [15:0]           out_stamp_o,   // low bits of the time at which it passed
  output logic [NumWays*12-1:0] total_o,       // passes on each way, modulo 4096
  output logic                  beat_o,        // pulse every PERIOD cycles
  output logic                  reg_ack_o,     // end of the register access
  output logic [1:0]            reg_err_o,     // 0 good, 1 address error, 2 refused
  output logic [31:0]           reg_rdata_o    // data of a read
);
  if (NumPorts < 1 || NumPorts > 128) $error("castor_turnstile: NumPorts is 1 to 128");
  if (NumWays < 1 || NumWays > 4) $error("castor_turnstile: NumWays is 1 to 4");
  if (Depth < 1 || Depth > 16) $error("castor_turnstile: Depth is 1 to 16");

  localparam int unsigned EntryW = PortW + 4 + 16;
  localparam logic [31:0] Id     = 32'h5455524E;

  typedef enum logic [1:0] {
    Empty,
    Some,
    Full
  } level_e;

  logic [EntryW-1:0]     queue_q [Depth];
  logic [SlotW-1:0]      head_q, tail_q;
  logic [4:0]            count_q;
  level_e                level_q;
  logic [PortW-1:0]      pointer_q;
  logic [NumPorts-1:0]   served_q;
  logic [NumWays*12-1:0] total_q;
  logic [15:0]           timer_q, period_q;
  logic                  beat_q, ack_q;
  logic [1:0]            err_q;
  logic [31:0]           rdata_q;

  // Offer: of the ports that want to pass, the first at or behind the pointer, else the first of all.
  logic [NumPorts-1:0] behind;
  logic                pick_valid;
  logic [PortW-1:0]    pick_port;
  always_comb begin
    behind = req_i & ({NumPorts{1'b1}} << pointer_q);
    pick_valid = (req_i != '0) && (32'(count_q) < Depth);
    pick_port = '0;
    if (pick_valid) begin
      for (int unsigned i = NumPorts; i > 0; i = i - 1) begin
        if ((behind != '0) ? behind[i-1] : req_i[i-1]) pick_port = PortW'(i - 1);
      end
    end
  end
  assign pick_valid_o = pick_valid;
  assign pick_port_o  = pick_port;

  // Register access. POP takes the head unless out_ready does.
  logic        access, known, pop_port, pop_reg;
  logic [1:0]  err_d;
  logic [31:0] rdata_d;
  logic [15:0] period_d;
  logic [EntryW-1:0] head;
  assign head = queue_q[head_q];
  always_comb begin
    access = reg_req_i && !ack_q;
    known = (reg_addr_i[1:0] == 2'd0) && (reg_addr_i <= 16'h000C);
    pop_port = (count_q != 5'd0) && out_ready_i;
    pop_reg = 1'b0;
    err_d = 2'd0;
    rdata_d = 32'd0;
    period_d = period_q;
    if (access) begin
      if (!known) begin
        err_d = 2'd1;
      end else if (reg_we_i) begin
        if (reg_addr_i[3:2] == 2'd1 && reg_wdata_i[31:16] == 16'd0) period_d = reg_wdata_i[15:0];
        else err_d = 2'd2;
      end else begin
        unique case (reg_addr_i[3:2])
          2'd0: rdata_d = Id;
          2'd1: rdata_d = {16'd0, period_q};
          2'd2: rdata_d = {27'd0, count_q};
          default: begin
            if (count_q != 5'd0 && !pop_port) begin
              pop_reg = 1'b1;
              rdata_d = {1'b1, 31'(head[20 +: PortW])};
            end
          end
        endcase
      end
    end
  end

  logic            push, pop;
  logic [4:0]      count_d;
  logic [WayW-1:0] way;
  assign push    = pick_grant_i && pick_valid;
  assign pop     = pop_port || pop_reg;
  assign count_d = count_q + 5'(push) - 5'(pop);
  assign way     = WayW'(32'(pick_port) % NumWays);

  always_ff @(posedge clk_i) begin
    if (push) queue_q[tail_q] <= {pick_port, weight_i[32'(way)*4 +: 4], now_i[15:0]};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      count_q <= '0;
      level_q <= Empty;
      pointer_q <= '0;
      served_q <= '0;
      total_q <= '0;
      timer_q <= '0;
      period_q <= '0;
      beat_q <= '0;
      ack_q <= '0;
      err_q <= '0;
      rdata_q <= '0;
    end else begin
      if (pop) head_q <= (32'(head_q) == Depth - 1) ? '0 : head_q + 1'b1;
      if (push) begin
        tail_q <= (32'(tail_q) == Depth - 1) ? '0 : tail_q + 1'b1;
        pointer_q <= (32'(pick_port) == NumPorts - 1) ? '0 : pick_port + 1'b1;
        served_q <= ((pick_port < pointer_q) ? '0 : served_q) | (NumPorts'(1'b1) << pick_port);
        total_q[32'(way)*12 +: 12] <= total_q[32'(way)*12 +: 12] + 12'd1;
      end
      count_q <= count_d;
      level_q <= (count_d == 5'd0) ? Empty : (32'(count_d) == Depth) ? Full : Some;
      beat_q <= (period_q != 16'd0) && ({1'b0, timer_q} + 17'd1 >= {1'b0, period_q});
      timer_q <= (period_q == 16'd0 || {1'b0, timer_q} + 17'd1 >= {1'b0, period_q}) ? 16'd0 : timer_q + 16'd1;
      period_q <= period_d;
      ack_q <= access;
      err_q <= err_d;
      rdata_q <= rdata_d;
    end
  end

  assign out_valid_o = (count_q != 5'd0);
  assign {out_port_o, out_weight_o, out_stamp_o} = (count_q != 5'd0) ? head : '0;
  assign total_o     = total_q;
  assign beat_o      = beat_q;
  assign reg_ack_o   = ack_q;
  assign reg_err_o   = err_q;
  assign reg_rdata_o = rdata_q;
endmodule
