// One warp scheduler: the order of its thread blocks, the greedy pointer (GTO) or promotion register (SAWS), and the
// pick (docs/blocks/saws.md, "Theory of operation").
//
// Each warp stores the position of its thread block in the order; 0 is the head. In GTO mode the order is by age.
// Positions are stored in bit planes: plane b holds bit b of the position of every warp.
module castor_saws_sched #(
  parameter int unsigned NumLocal  = 16,  // warps of the scheduler
  parameter int unsigned PFloor    = 1,   // least value of the promotion register
  parameter int unsigned InitOrder = 0,   // 0: at the switch to SAWS the greedy warp's thread block moves to the head
  parameter int unsigned SawsEn    = 1,
  localparam int unsigned IndexWidth   = (NumLocal > 1) ? $clog2(NumLocal) : 1,
  localparam int unsigned PosWidth     = $clog2(NumLocal + 1),
  localparam int unsigned PointerWidth = (SawsEn != 0) ? PosWidth : IndexWidth
) (
  input  logic clk_i,         // clock
  input  logic rst_ni,        // synchronous reset, active low
  input  logic start_i,       // resets all state
  input  logic start_saws_i,  // with start_i: begin in SAWS mode
  input  logic mode_i,        // 0 GTO, 1 SAWS

  // List operations, at most one per cycle. They concern the thread block of member_i, except placing and the switch.
  input  logic                switch_i,     // switches from GTO to SAWS mode
  input  logic                promote_i,    // moves the thread block to the position in the promotion register
  input  logic                demote_i,     // moves the thread block to the tail
  input  logic                alloc_i,      // a thread block is placed
  input  logic                free_i,       // the thread block is freed
  input  logic [NumLocal-1:0] member_i,     // warps of the thread block
  input  logic [NumLocal-1:0] new_i,        // warps of the thread block that is placed
  input  logic [NumLocal-1:0] allocated_i,  // warp slots in use

  input  logic [NumLocal-1:0]   ready_i,        // warps that could issue
  output logic                  issue_valid_o,  // the scheduler picks a warp
  output logic [IndexWidth-1:0] issue_idx_o,    // local number of the picked warp
  input  logic                  issue_ack_i,    // the picked warp has issued

  output logic [PosWidth*NumLocal-1:0] pos_o,      // position of every warp's thread block
  output logic [PosWidth-1:0]          pointer_o,  // GTO: number of the greedy warp; SAWS: promotion register P
  output logic                         greedy_o,   // the pointer holds the number of a greedy warp
  output logic [PosWidth-1:0]          length_o    // number of thread blocks in the order
);
  localparam logic [PosWidth-1:0] One = PosWidth'(1);

  // Returns a mask in which bit b*NumLocal+i is set if bit b of the number i is 0.
  function automatic logic [IndexWidth*NumLocal-1:0] lower();
    lower = '0;
    for (int unsigned b = 0; b < IndexWidth; b++) begin
      for (int unsigned i = 0; i < NumLocal; i++) begin
        lower[b*NumLocal+i] = (((i >> b) & 1) == 0);
      end
    end
  endfunction

  localparam logic [IndexWidth*NumLocal-1:0] Lower = lower();

  logic [PosWidth*NumLocal-1:0] pos_q, pos_d;  // position of every warp's thread block, in bit planes
  logic [PosWidth-1:0]          length_q, length_d;  // number of thread blocks in the order
  logic [PointerWidth-1:0]      pointer_q, pointer_d;  // GTO: number of the greedy warp; SAWS: P
  logic                         greedy_q, greedy_d;    // pointer_q holds the number of a greedy warp

  assign pos_o     = pos_q;
  assign pointer_o = PosWidth'(pointer_q);
  assign greedy_o  = greedy_q;
  assign length_o  = length_q;

  // ---------------------------------------------------------------------------------------------------------------
  // Pick: the greedy warp if it can issue, else the candidate of least position and, of equal positions, least index.
  // Both minima are found bit by bit from the top: if some candidate has a 0, candidates with a 1 drop out.
  logic [NumLocal-1:0]   greedy_warp;
  logic                  issue_valid;
  logic [IndexWidth-1:0] issue_idx;

  assign greedy_warp = greedy_q ? NumLocal'(1) << pointer_q : '0;

  always_comb begin
    logic [NumLocal-1:0] left, low;
    left        = ready_i & allocated_i;
    low         = '0;
    issue_valid = (left != '0);
    issue_idx   = '0;
    if ((left & greedy_warp) != '0) begin
      left = greedy_warp;
    end
    for (int unsigned b = 0; b < PosWidth; b++) begin
      low = left & ~pos_q[(PosWidth-1-b)*NumLocal +: NumLocal];
      if (low != '0) begin
        left = low;
      end
    end
    for (int unsigned b = 0; b < IndexWidth; b++) begin
      low = left & Lower[(IndexWidth-1-b)*NumLocal +: NumLocal];
      issue_idx[IndexWidth-1-b] = (left != '0) && (low == '0);
      if (low != '0) begin
        left = low;
      end
    end
  end

  assign issue_valid_o = issue_valid;
  assign issue_idx_o   = issue_idx;

  // ---------------------------------------------------------------------------------------------------------------
  // Position of the operation's thread block: the OR over its warps, which all have that position.
  logic [NumLocal-1:0] subject;
  logic                found;
  logic [PosWidth-1:0] place;

  always_comb begin
    subject = switch_i ? (greedy_warp & allocated_i) : member_i;
    found   = (subject != '0);
    place   = '0;
    for (int unsigned b = 0; b < PosWidth; b++) begin
      place[b] = ((subject & pos_q[b*NumLocal +: NumLocal]) != '0);
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // New order. Either a thread block rises to `target`, and thread blocks from there to its old position move back by
  // one; or a thread block leaves its position, and all thread blocks behind it move forward by one.
  logic                promoted, rises, leaves;  // promoted: a thread block is promoted, so P increments
  logic [PosWidth-1:0] register, target;

  assign register = PosWidth'(pointer_q);

  always_comb begin
    promoted = promote_i && found && (place >= register);
    rises    = (promoted && place != register) || (switch_i && found && InitOrder == 0);
    leaves   = (demote_i || free_i) && found;
    target   = '0;
    if (promote_i) begin
      target = register;
    end
    if (demote_i) begin
      target = length_q - One;
    end
    if (alloc_i) begin
      target = length_q;
    end
  end

  always_comb begin
    logic [NumLocal-1:0] plane, ahead, same, behind_target, moves, steps;
    plane         = '0;
    ahead        = '0;
    same          = '1;
    behind_target = '1;
    moves         = '0;
    steps         = '0;
    pos_d         = pos_q;
    if (rises || leaves || alloc_i) begin
      for (int unsigned b = 0; b < PosWidth; b++) begin
        plane         = pos_q[b*NumLocal +: NumLocal];
        ahead        = (plane ^ {NumLocal{place[b]}}) & ~plane | ~(plane ^ {NumLocal{place[b]}}) & ahead;
        same          = same & ~(plane ^ {NumLocal{place[b]}});
        behind_target = (plane ^ {NumLocal{target[b]}}) & plane | ~(plane ^ {NumLocal{target[b]}}) & behind_target;
      end
      if (alloc_i) begin
        moves = new_i;
      end else begin
        moves = allocated_i & same;
        steps = allocated_i & (rises ? ahead & behind_target : ~ahead & ~same);
      end
      for (int unsigned b = 0; b < PosWidth; b++) begin
        plane = pos_q[b*NumLocal +: NumLocal];
        pos_d[b*NumLocal +: NumLocal] = moves & {NumLocal{target[b]}} | ~moves & (plane ^ steps);
        steps = steps & (rises ? plane : ~plane);  // carry of the increment, or borrow of the decrement
      end
    end
  end

  always_comb begin
    length_d = length_q;
    if (alloc_i && new_i != '0) begin
      length_d = length_q + One;
    end
    if (free_i && found) begin
      length_d = length_q - One;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Greedy pointer (GTO) or promotion register (SAWS).
  always_comb begin
    pointer_d = pointer_q;
    greedy_d  = greedy_q;
    if (!mode_i) begin
      if (free_i && (member_i & greedy_warp) != '0) begin
        greedy_d = 1'b0;
      end
      if (issue_valid && issue_ack_i) begin
        pointer_d = PointerWidth'(issue_idx);
        greedy_d  = 1'b1;
      end
      if (switch_i) begin
        pointer_d = PointerWidth'(1);
        greedy_d  = 1'b0;
      end
    end else if (promoted) begin
      pointer_d = pointer_q + PointerWidth'(1);
    end else if (leaves && place < register && register != PosWidth'(PFloor)) begin
      pointer_d = pointer_q - PointerWidth'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      pos_q     <= '0;
      length_q  <= '0;
      pointer_q <= PointerWidth'(rst_ni && start_saws_i);
      greedy_q  <= 1'b0;
    end else begin
      pos_q     <= pos_d;
      length_q  <= length_d;
      pointer_q <= pointer_d;
      greedy_q  <= greedy_d;
    end
  end
endmodule
