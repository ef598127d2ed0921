// On-chip lists of all queue sets, in one memory with one read and one write port. In each cycle the head of one list
// is read, and one entry can be appended to any list.
//
// The lists are linked lists. Freed slots form a linked stack; a counter (fresh_q) separates used slots from slots
// never used, so no memory has to be initialised. An entry appended in the cycle of a pop takes the popped entry's
// slot. Hence a cycle reads at most one link and writes at most one. The user must keep the sum of all lists at or
// below NumSlots.
module castor_laperm_lists #(
  parameter int unsigned NumLists = 52,
  parameter int unsigned NumSlots = 1664,
  parameter int unsigned Width    = 165,
  parameter int unsigned CntW     = 32,
  localparam int unsigned ListWidth  = (NumLists > 1) ? $clog2(NumLists) : 1,
  localparam int unsigned SlotWidth  = $clog2(NumSlots),
  localparam int unsigned CountWidth = $clog2(NumSlots + 1)
) (
  input  logic                 clk_i,     // clock
  input  logic                 rst_ni,    // synchronous reset, active low
  output logic [NumLists-1:0]  listed_o,  // lists that are not empty

  // Head of list list_i; unknown while the list is empty.
  input  logic [ListWidth-1:0] list_i,  // list whose head is read
  output logic [Width-1:0]     head_o,  // oldest entry of the list
  output logic [CntW-1:0]      pos_o,   // next thread block of that entry
  input  logic                 step_i,  // a thread block of that entry, not its last, is placed
  input  logic                 pop_i,   // the last thread block of that entry is placed: the entry leaves

  input  logic                 append_i,       // an entry is appended
  input  logic [ListWidth-1:0] append_list_i,  // list to which it is appended
  input  logic [Width-1:0]     append_entry_i  // entry that is appended
);
  localparam int unsigned NumPow2 = 2 ** ListWidth;

  // listed_q: the list is not empty. part_q: the head of the list is partly placed; cleared when the head leaves.
  logic [NumLists-1:0]   listed_q, part_q;
  logic [NumPow2-1:0]    listed, part;
  // free_q: slot at the top of the stack of free slots. free_count_q: number of slots on the stack. fresh_q: number of
  // slots that were ever used, which is the next slot if the stack is empty.
  logic [SlotWidth-1:0]  head, tail, append_tail, slot, link, free_q;
  logic [CountWidth-1:0] free_count_q, fresh_q;
  logic [CntW-1:0]       pos;
  logic                  single, first, link_append, free;

  assign listed      = NumPow2'(listed_q);
  assign part        = NumPow2'(part_q);
  assign listed_o    = listed_q;
  assign pos_o       = part[list_i] ? pos : '0;
  assign single      = (head == tail);
  assign first       = !listed[append_list_i] || (pop_i && single && (list_i == append_list_i));
  assign slot        = pop_i ? head : (free_count_q != '0) ? free_q : SlotWidth'(fresh_q);
  assign link_append = append_i && !first;
  assign free        = pop_i && !append_i;

  castor_table_1r1w #(
    .Width (Width),
    .Depth (NumSlots)
  ) u_entries (
    .clk_i,
    .we_i    (append_i),
    .waddr_i (slot),
    .wdata_i (append_entry_i),
    .raddr_i (head),
    .rdata_o (head_o)
  );

  // Links: the slot that follows a slot in its list, or on the stack of free slots.
  castor_table_1r1w #(
    .Width (SlotWidth),
    .Depth (NumSlots)
  ) u_links (
    .clk_i,
    .we_i    (link_append || free),
    .waddr_i (free ? head : append_tail),
    .wdata_i (free ? free_q : slot),
    .raddr_i (pop_i ? head : free_q),
    .rdata_o (link)
  );

  castor_table_3r3w #(
    .Width (SlotWidth),
    .Depth (NumLists)
  ) u_heads (
    .clk_i,
    .we_a_i    (pop_i && !single),
    .waddr_a_i (list_i),
    .wdata_a_i (link),
    .we_b_i    (append_i && first),
    .waddr_b_i (append_list_i),
    .wdata_b_i (slot),
    .we_c_i    (1'b0),
    .waddr_c_i ('0),
    .wdata_c_i ('0),
    .raddr_a_i (list_i),
    .rdata_a_o (head),
    .raddr_b_i ('0),
    .rdata_b_o (),
    .raddr_c_i ('0),
    .rdata_c_o ()
  );

  castor_table_2r1w #(
    .Width (SlotWidth),
    .Depth (NumLists)
  ) u_tails (
    .clk_i,
    .we_i      (append_i),
    .waddr_i   (append_list_i),
    .wdata_i   (slot),
    .raddr_a_i (list_i),
    .rdata_a_o (tail),
    .raddr_b_i (append_list_i),
    .rdata_b_o (append_tail)
  );

  // Position of the next thread block, by list. Only the head of a list can be partly placed; other entries begin at 0.
  castor_table_1r1w #(
    .Width (CntW),
    .Depth (NumLists)
  ) u_pos (
    .clk_i,
    .we_i    (step_i),
    .waddr_i (list_i),
    .wdata_i (pos_o + 1'b1),
    .raddr_i (list_i),
    .rdata_o (pos)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      listed_q     <= '0;
      part_q       <= '0;
      free_q       <= '0;
      free_count_q <= '0;
      fresh_q      <= '0;
    end else begin
      if (pop_i && single) begin
        listed_q[list_i] <= 1'b0;
      end
      if (append_i) begin
        listed_q[append_list_i] <= 1'b1;
      end

      if (step_i) begin
        part_q[list_i] <= 1'b1;
      end
      if (pop_i) begin
        part_q[list_i] <= 1'b0;
      end

      if (free) begin
        free_q       <= head;
        free_count_q <= free_count_q + 1'b1;
      end else if (append_i && !pop_i) begin
        if (free_count_q != '0) begin
          free_q       <= link;
          free_count_q <= free_count_q - 1'b1;
        end else begin
          fresh_q <= fresh_q + 1'b1;
        end
      end
    end
  end
endmodule
