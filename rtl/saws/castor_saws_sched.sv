// One warp scheduler: the order of its thread blocks, the greedy pointer or promotion register, and the pick
// (docs/blocks/saws.md, "Theory of operation").
//
// The order is held as the position of every warp's thread block, 0 first; the warps of a thread block share it. In GTO
// mode it is the order of age. Positions are bit planes: plane b holds bit b of the position of every warp.
module castor_saws_sched #(
  parameter int unsigned NumLocal  = 16,  // warps of the scheduler
  parameter int unsigned PFloor    = 1,   // least promotion register
  parameter int unsigned InitOrder = 0,   // 0: at the switch the greedy warp's thread block comes first
  parameter int unsigned SawsEn    = 1,
  localparam int unsigned IndexWidth   = (NumLocal > 1) ? $clog2(NumLocal) : 1,
  localparam int unsigned PosWidth     = $clog2(NumLocal + 1),
  localparam int unsigned PointerWidth = (SawsEn != 0) ? PosWidth : IndexWidth
) (
  input  logic clk_i,         // clock
  input  logic rst_ni,        // synchronous reset, active low
  input  logic start_i,       // forget everything
  input  logic start_saws_i,  // and begin in SAWS mode
  input  logic mode_i,        // 0 GTO, 1 SAWS

  // At most one list operation per cycle; they are about the thread block of member_i, but placing and the switch.
  input  logic                switch_i,     // from GTO to SAWS
  input  logic                promote_i,    // to the promotion register's place
  input  logic                demote_i,     // behind all others
  input  logic                alloc_i,      // a thread block is placed
  input  logic                free_i,       // it is freed
  input  logic [NumLocal-1:0] member_i,     // warps of the thread block
  input  logic [NumLocal-1:0] new_i,        // warps of the one that is placed
  input  logic [NumLocal-1:0] allocated_i,  // slots that are taken

  input  logic [NumLocal-1:0]   ready_i,        // warps that could issue
  output logic                  issue_valid_o,  // the scheduler has a pick
  output logic [IndexWidth-1:0] issue_idx_o,    // its local number
  input  logic                  issue_ack_i,    // the warp picked has issued

  output logic [PosWidth*NumLocal-1:0] pos_o,      // position of every warp's thread block
  output logic [PosWidth-1:0]          pointer_o,  // GTO: greedy warp; SAWS: promotion register
  output logic                         greedy_o,   // the pointer is a greedy warp's
  output logic [PosWidth-1:0]          length_o    // thread blocks in the order
);
  localparam logic [PosWidth-1:0] One = PosWidth'(1);

  // Bit b*NumLocal+i: bit b of the number i is 0.
  function automatic logic [IndexWidth*NumLocal-1:0] lower();
    lower = '0;
    for (int unsigned b = 0; b < IndexWidth; b++) begin
      for (int unsigned i = 0; i < NumLocal; i++) begin
        lower[b*NumLocal+i] = (((i >> b) & 1) == 0);
      end
    end
  endfunction

  localparam logic [IndexWidth*NumLocal-1:0] Lower = lower();

  logic [PosWidth*NumLocal-1:0] pos_q, pos_d;
  logic [PosWidth-1:0]          length_q, length_d;
  logic [PointerWidth-1:0]      pointer_q, pointer_d;  // greedy warp, or promotion register
  logic                         greedy_q, greedy_d;    // the pointer names a greedy warp

  assign pos_o     = pos_q;
  assign pointer_o = PosWidth'(pointer_q);
  assign greedy_o  = greedy_q;
  assign length_o  = length_q;

  // ---------------------------------------------------------------------------------------------------------------
  // The pick: the greedy warp if it can issue, else the least position and among its warps the least index. Both are
  // found bit by bit from the top: if a candidate has a 0, those with a 1 drop out.
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
  // The place of the operation's thread block: an OR over its warps, which share it.
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
  // New order. A thread block moves up to `target`, and those from there to its old place step down by one; or it
  // leaves its place, and those behind step up by one.
  logic                promoted, rises, leaves;  // promoted: in front of the register now
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
        steps = steps & (rises ? plane : ~plane);  // carry or borrow
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
  // Greedy pointer or promotion register.
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
