// Properties of the lists on chip (docs/blocks/laperm.md, "Invariants"): each list is a queue for any sequence of
// appends and pops. The users must neither pop from an empty list nor store more entries than there are slots.
//
// The contents of a table are visible only where the block reads it. This module therefore keeps a copy of all written
// words and compares every read with the copy. The other properties refer to the copies: the slot of each entry of each
// list, and the free slots.
`include "castor_assert.svh"

module castor_laperm_lists_properties;
  // ---------------------------------------------------------------------------------------------------------------
  // Copies of the tables, and flags for the words that have been written.
  logic [NumLists*SlotWidth-1:0] heads, tails;
  logic [NumSlots*SlotWidth-1:0] links;
  logic [NumSlots*Width-1:0] stored;
  logic [NumLists*CntW-1:0]  begun;
  logic [NumLists-1:0]       heads_known, tails_known, begun_known;
  logic [NumSlots-1:0]       links_known, stored_known;
  logic [SlotWidth-1:0]          link_write, link_read;

  assign link_write = free ? head : append_tail;
  assign link_read  = pop_i ? head : free_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned q = 0; q < NumLists; q++) begin
      if (append_i && first && 32'(append_list_i) == q) begin
        heads[q*SlotWidth+:SlotWidth] <= slot;
      end else if (pop_i && !single && 32'(list_i) == q) begin
        heads[q*SlotWidth+:SlotWidth] <= link;
      end
      if (append_i && 32'(append_list_i) == q) begin
        tails[q*SlotWidth+:SlotWidth] <= slot;
      end
      if (step_i && 32'(list_i) == q) begin
        begun[q*CntW+:CntW] <= pos_o + CntW'(1);
      end
      heads_known[q] <= rst_ni && (heads_known[q] || (append_i && first && 32'(append_list_i) == q) ||
                                   (pop_i && !single && 32'(list_i) == q));
      tails_known[q] <= rst_ni && (tails_known[q] || (append_i && 32'(append_list_i) == q));
      begun_known[q] <= rst_ni && (begun_known[q] || (step_i && 32'(list_i) == q));
    end
    for (int unsigned i = 0; i < NumSlots; i++) begin
      if ((link_append || free) && 32'(link_write) == i) begin
        links[i*SlotWidth+:SlotWidth] <= free ? free_q : slot;
      end
      if (append_i && 32'(slot) == i) begin
        stored[i*Width+:Width] <= append_entry_i;
      end
      links_known[i]  <= rst_ni && (links_known[i] || ((link_append || free) && 32'(link_write) == i));
      stored_known[i] <= rst_ni && (stored_known[i] || (append_i && 32'(slot) == i));
    end
  end

  logic heads_right, tails_right, ends_right, links_right, stored_right, begun_right;

  always_comb begin
    heads_right  = 1'b1;
    tails_right  = 1'b1;
    ends_right   = 1'b1;
    links_right  = 1'b1;
    stored_right = 1'b1;
    begun_right  = 1'b1;
    for (int unsigned q = 0; q < NumLists; q++) begin
      if (32'(list_i) == q) begin
        heads_right = !heads_known[q] || head == heads[q*SlotWidth+:SlotWidth];
        tails_right = !tails_known[q] || tail == tails[q*SlotWidth+:SlotWidth];
        begun_right = !begun_known[q] || pos == begun[q*CntW+:CntW];
      end
      if (32'(append_list_i) == q) begin
        ends_right = !tails_known[q] || append_tail == tails[q*SlotWidth+:SlotWidth];
      end
    end
    for (int unsigned i = 0; i < NumSlots; i++) begin
      if (32'(link_read) == i) begin
        links_right = !links_known[i] || link == links[i*SlotWidth+:SlotWidth];
      end
      if (32'(head) == i) begin
        stored_right = !stored_known[i] || head_o == stored[i*Width+:Width];
      end
    end
  end

  `CASTOR_ASSERT(heads_are_as_written, heads_right)
  `CASTOR_ASSERT(tails_are_as_written, tails_right)
  `CASTOR_ASSERT(tails_appended_to_are_as_written, ends_right)
  `CASTOR_ASSERT(links_are_as_written, links_right)
  `CASTOR_ASSERT(entries_are_as_written, stored_right)
  `CASTOR_ASSERT(positions_are_as_written, begun_right)

  // ---------------------------------------------------------------------------------------------------------------
  // Reference lists as queues of entries and slots, oldest first. `unused` is the stack of free slots, the slot
  // released last first.
  logic [NumLists*CountWidth-1:0]         number;
  logic [NumLists*NumSlots*SlotWidth-1:0] slots;
  logic [NumLists*NumSlots*Width-1:0] queue;
  logic [NumLists*CntW-1:0]           position;
  logic [NumSlots*SlotWidth-1:0]          unused;
  logic                               kept_to_q;  // the users have kept the rules for appends and pops since reset

  logic [NumLists-1:0] takes, puts;
  logic [CountWidth-1:0]   left[NumLists];
  logic [31:0]         all;
  logic                empty;

  always_comb begin
    all   = '0;
    empty = 1'b1;
    for (int unsigned q = 0; q < NumLists; q++) begin
      takes[q] = pop_i && 32'(list_i) == q;
      puts[q]  = append_i && 32'(append_list_i) == q;
      left[q]  = number[q*CountWidth+:CountWidth] - CountWidth'(takes[q]);
      all      = all + 32'(number[q*CountWidth+:CountWidth]);
      if (32'(list_i) == q) begin
        empty = number[q*CountWidth+:CountWidth] == '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      number    <= '0;
      position  <= '0;
      kept_to_q <= 1'b1;
    end else begin
      kept_to_q <= kept_to_q && !((pop_i || step_i) && empty) && !(pop_i && step_i) &&
                   !(append_i && (32'(append_list_i) >= NumLists || (!pop_i && all >= NumSlots)));
      for (int unsigned q = 0; q < NumLists; q++) begin
        number[q*CountWidth+:CountWidth] <= left[q] + CountWidth'(puts[q]);
        position[q*CntW+:CntW]   <= takes[q] ? '0 : position[q*CntW+:CntW] + CntW'(step_i && 32'(list_i) == q);
      end
    end
    for (int unsigned q = 0; q < NumLists; q++) begin
      for (int unsigned i = 0; i < NumSlots; i++) begin
        if (puts[q] && 32'(left[q]) == i) begin
          slots[(q*NumSlots+i)*SlotWidth+:SlotWidth] <= slot;
          queue[(q*NumSlots+i)*Width+:Width] <= append_entry_i;
        end else if (takes[q] && i + 1 < NumSlots) begin
          slots[(q*NumSlots+i)*SlotWidth+:SlotWidth] <= slots[(q*NumSlots+(i+1)%NumSlots)*SlotWidth+:SlotWidth];
          queue[(q*NumSlots+i)*Width+:Width] <= queue[(q*NumSlots+(i+1)%NumSlots)*Width+:Width];
        end
      end
    end
    if (free) begin
      unused <= {unused[(NumSlots-1)*SlotWidth-1:0], head};
    end else if (append_i && !pop_i && free_count_q != '0) begin
      unused <= {SlotWidth'(0), unused[NumSlots*SlotWidth-1:SlotWidth]};
    end
  end

  logic [NumLists-1:0] flags_right, ends_known, begun_agree;
  logic [NumSlots-1:0] used_once;
  logic                linked, stack_linked, counted;
  logic [31:0]         uses[NumSlots];
  logic [SlotWidth-1:0]    here, next;

  always_comb begin
    linked       = 1'b1;
    stack_linked = free_count_q == '0 || free_q == unused[SlotWidth-1:0];
    counted      = all + 32'(free_count_q) == 32'(fresh_q) && 32'(fresh_q) <= NumSlots;
    here         = '0;
    next         = '0;
    for (int unsigned s = 0; s < NumSlots; s++) begin
      uses[s] = '0;
    end
    for (int unsigned q = 0; q < NumLists; q++) begin
      flags_right[q] = listed_q[q] == (number[q*CountWidth+:CountWidth] != '0) && 32'(number[q*CountWidth+:CountWidth]) <= NumSlots;
      begun_agree[q] = part_q[q] ? listed_q[q] && begun_known[q] && begun[q*CntW+:CntW] == position[q*CntW+:CntW] :
                                   position[q*CntW+:CntW] == '0;
      ends_known[q]  = !listed_q[q] || (heads_known[q] && heads[q*SlotWidth+:SlotWidth] == slots[q*NumSlots*SlotWidth+:SlotWidth]);
      for (int unsigned i = 0; i < NumSlots; i++) begin
        here = slots[(q*NumSlots+i)*SlotWidth+:SlotWidth];
        next = slots[(q*NumSlots+(i+1)%NumSlots)*SlotWidth+:SlotWidth];
        if (i + 1 == 32'(number[q*CountWidth+:CountWidth])) begin
          ends_known[q] = ends_known[q] && tails_known[q] && tails[q*SlotWidth+:SlotWidth] == here;
        end
        for (int unsigned s = 0; s < NumSlots; s++) begin
          if (32'(here) == s && i < 32'(number[q*CountWidth+:CountWidth])) begin
            uses[s] = uses[s] + 32'd1;
            linked  = linked && stored_known[s] &&
                      stored[s*Width+:Width] == queue[(q*NumSlots+i)*Width+:Width] &&
                      (i + 1 >= 32'(number[q*CountWidth+:CountWidth]) ||
                       (links_known[s] && links[s*SlotWidth+:SlotWidth] == next));
          end
        end
      end
    end
    for (int unsigned i = 0; i < NumSlots; i++) begin
      here = unused[i*SlotWidth+:SlotWidth];
      next = unused[((i+1)%NumSlots)*SlotWidth+:SlotWidth];
      for (int unsigned s = 0; s < NumSlots; s++) begin
        if (32'(here) == s && i < 32'(free_count_q)) begin
          uses[s]      = uses[s] + 32'd1;
          stack_linked = stack_linked && links_known[s] &&
                         (i + 1 >= 32'(free_count_q) || links[s*SlotWidth+:SlotWidth] == next);
        end
      end
    end
    for (int unsigned s = 0; s < NumSlots; s++) begin
      used_once[s] = uses[s] == 32'(s < 32'(fresh_q));
    end
  end

  logic [Width-1:0] oldest;
  logic [CntW-1:0]  next_block;

  always_comb begin
    oldest     = '0;
    next_block = '0;
    for (int unsigned q = 0; q < NumLists; q++) begin
      if (32'(list_i) == q) begin
        oldest     = queue[q*NumSlots*Width+:Width];
        next_block = position[q*CntW+:CntW];
      end
    end
  end

  `CASTOR_ASSERT(w4_w6_lists_are_queues,
                 !kept_to_q || (flags_right == '1 && ends_known == '1 && begun_agree == '1 && linked && stack_linked &&
                                counted && used_once == '1 &&
                                (empty || (head_o == oldest && pos_o == next_block))))

  `CASTOR_COVER(alone_slot_is_used_again, kept_to_q && append_i && !pop_i && free_count_q != '0 && all > 32'd1)
  `CASTOR_COVER(alone_slots_are_all_used, kept_to_q && all == NumSlots && pop_i && append_i)
endmodule

bind castor_laperm_lists castor_laperm_lists_properties u_properties ();
