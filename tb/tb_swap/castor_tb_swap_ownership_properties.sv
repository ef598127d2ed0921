// Properties of the swap engine's storage (docs/blocks/tb_swap.md, "Invariants", G12). Every home belongs to exactly
// one of these: a context, a parked thread block, a job that brings it, the free list. Every place belongs to a parked
// thread block, a job, or the free list.
//
// The module keeps the owners by itself, from what passes at the ports and from decisions. Assumption: the entry of a
// job is one that has been parked in this SM for this kernel and not been given back since, as far as it names storage
// of the SM.
`include "castor_assert.svh"

module castor_tb_swap_ownership_properties;
  // ---------------------------------------------------------------------------------------------------------------
  // Owners, a bit per home or place. parked: thread blocks whose entry the commander keeps. brought: jobs that bring it
  // and have not been decided (homes), or whose context has not been filled (places). leaving: the thread block that
  // moves out, and keeps its home or has got the place.
  logic [63:0] rparked_q, sparked_q, pparked_q;
  logic [63:0] rbrought_q, sbrought_q, pbrought_q;
  logic [63:0] rleaving_q, sleaving_q, pleaving_q;
  logic [6:0]  slots_q, rhomes_q, shomes_q;  // contexts in use, and homes of the kernel
  logic        decided_q;  // the job of the machine that moves out has been decided

  // Events of the cycle.
  logic        accepted, parked;
  logic        brings_rhome, brings_shome, brings_place;
  logic [63:0] job_rhome, job_shome, job_place, entry_rhome, entry_shome, entry_place;
  logic [63:0] taken_rhome, taken_shome, decided_rhome, decided_shome, decided_place, freed;

  assign accepted     = job_valid_i && job_ready_o;
  assign parked       = parked_valid_o && parked_ready_i;
  assign brings_rhome = accepted && !job_new_i && job_entry_i[127:126] == 2'd0;
  assign brings_shome = accepted && !job_new_i && job_entry_i[125:124] == 2'd0;
  assign brings_place = accepted && !job_new_i && !job_entry_i[123];
  assign job_rhome    = 64'(brings_rhome) << job_entry_i[92:87];
  assign job_shome    = 64'(brings_shome) << job_entry_i[52:47];
  assign job_place    = 64'(brings_place) << job_entry_i[24:19];
  assign entry_rhome  = 64'(parked && parked_entry_o[127:126] == 2'd0) << parked_entry_o[92:87];
  assign entry_shome  = 64'(parked && parked_entry_o[125:124] == 2'd0) << parked_entry_o[52:47];
  assign entry_place  = 64'(parked && !parked_entry_o[123]) << parked_entry_o[24:19];
  assign freed        = 64'(free_place) << freed_place[5:0];

  logic rbrings, sbrings;

  assign rbrings       = decide && !out_fill.is_new && out_fill.parked.reg_loc == 2'd0;
  assign sbrings       = decide && !out_fill.is_new && out_fill.parked.smem_loc == 2'd0;
  assign taken_rhome   = 64'(rbrings) << out_fill.parked.reg_line[5:0];
  assign taken_shome   = 64'(sbrings) << out_fill.parked.smem_line[5:0];
  assign decided_rhome = 64'(decide && keeps_rhome) << rhome;
  assign decided_shome = 64'(decide && keeps_shome) << shome;
  assign decided_place = 64'(decide && class_chosen >= 3'd1 && class_chosen <= 3'd3) << place;

  `CASTOR_ASSUME(a_register_home_of_a_job_is_parked, !brings_rhome || cfg_valid_i || (job_rhome & rparked_q) != '0)
  `CASTOR_ASSUME(a_shared_home_of_a_job_is_parked, !brings_shome || cfg_valid_i || (job_shome & sparked_q) != '0)
  `CASTOR_ASSUME(a_place_of_a_job_is_parked,
                 !brings_place || cfg_valid_i || (job_entry_i[39:25] == '0 && (job_place & pparked_q) != '0))

  always_ff @(posedge clk_i) begin
    if (!rst_ni || cfg_valid_i) begin
      rparked_q  <= '0;
      sparked_q  <= '0;
      pparked_q  <= '0;
      rbrought_q <= '0;
      sbrought_q <= '0;
      pbrought_q <= '0;
      rleaving_q <= '0;
      sleaving_q <= '0;
      pleaving_q <= '0;
      slots_q    <= rst_ni ? cfg_slots_i : '0;
      rhomes_q   <= rst_ni ? cfg_rhomes_i : '0;
      shomes_q   <= rst_ni ? cfg_shomes_i : '0;
      decided_q  <= 1'b0;
    end else begin
      rparked_q  <= (rparked_q | entry_rhome) & ~job_rhome;
      sparked_q  <= (sparked_q | entry_shome) & ~job_shome;
      pparked_q  <= (pparked_q | entry_place) & ~job_place;
      rbrought_q <= (rbrought_q | job_rhome) & ~taken_rhome;
      sbrought_q <= (sbrought_q | job_shome) & ~taken_shome;
      pbrought_q <= (pbrought_q | job_place) & ~freed;
      rleaving_q <= (rleaving_q | decided_rhome) & ~entry_rhome;
      sleaving_q <= (sleaving_q | decided_shome) & ~entry_shome;
      pleaving_q <= (pleaving_q | decided_place) & ~entry_place;
      decided_q  <= (decided_q || decide) && !hand;
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Home of each context: the one in the table, or the one that the decided job will write there.
  logic [63:0] rcontexts, scontexts, free_r, free_s, free_p, all_r, all_s, all_p;
  logic        rtwice, stwice;  // two contexts have one home
  logic [5:0]  r, s;  // homes of one context

  always_comb begin
    rcontexts = '0;
    scontexts = '0;
    rtwice    = 1'b0;
    stwice    = 1'b0;
    r         = '0;
    s         = '0;
    for (int unsigned t = 0; t < MaxTb; t++) begin
      if (t < 32'(slots_q)) begin
        r = rhomes[t*6 +: 6];
        s = shomes[t*6 +: 6];
        if (hand_valid_q && hand_slot_q == SlotWidth'(t)) begin
          r = hand_rhome_q;
          s = hand_shome_q;
        end
        if (decided_q && out_slot == SlotWidth'(t)) begin
          r = hand_rhome;
          s = hand_shome;
        end
        rtwice    = rtwice || rcontexts[r];
        stwice    = stwice || scontexts[s];
        rcontexts = rcontexts | (64'd1 << r);
        scontexts = scontexts | (64'd1 << s);
      end
    end
  end

  assign free_r = 64'(free_rhomes);
  assign free_s = 64'(free_shomes);
  assign free_p = 64'(free_places);
  assign all_r  = ~(64'hFFFF_FFFF_FFFF_FFFF << rhomes_q);
  assign all_s  = ~(64'hFFFF_FFFF_FFFF_FFFF << shomes_q);
  assign all_p  = ~(64'hFFFF_FFFF_FFFF_FFFF << (8'(in_place_q) + 8'(copies_q)));

  `CASTOR_ASSERT(g12_register_home_has_an_owner,
                 (free_r | rcontexts | rparked_q | rbrought_q | rleaving_q) == all_r)
  `CASTOR_ASSERT(g12_register_home_has_one_owner,
                 !rtwice && (free_r & (rcontexts | rparked_q | rbrought_q | rleaving_q)) == '0 &&
                 (rcontexts & (rparked_q | rbrought_q | rleaving_q)) == '0 &&
                 (rparked_q & (rbrought_q | rleaving_q)) == '0 && (rbrought_q & rleaving_q) == '0)
  `CASTOR_ASSERT(g12_shared_home_has_an_owner,
                 (free_s | scontexts | sparked_q | sbrought_q | sleaving_q) == all_s)
  `CASTOR_ASSERT(g12_shared_home_has_one_owner,
                 !stwice && (free_s & (scontexts | sparked_q | sbrought_q | sleaving_q)) == '0 &&
                 (scontexts & (sparked_q | sbrought_q | sleaving_q)) == '0 &&
                 (sparked_q & (sbrought_q | sleaving_q)) == '0 && (sbrought_q & sleaving_q) == '0)
  `CASTOR_ASSERT(g12_place_has_an_owner, (free_p | pparked_q | pbrought_q | pleaving_q) == all_p)
  `CASTOR_ASSERT(g12_place_has_one_owner,
                 (free_p & (pparked_q | pbrought_q | pleaving_q)) == '0 &&
                 (pparked_q & (pbrought_q | pleaving_q)) == '0 && (pbrought_q & pleaving_q) == '0)

  // The home that a store reads, or a load writes, is the one of its context.
  `CASTOR_ASSERT(g12_home_taken_is_free, !decide || !keeps_rhome || rbrings || free_r[next_rhome])
  `CASTOR_ASSERT(g12_shared_home_taken_is_free, !decide || !keeps_shome || sbrings || free_s[next_shome])
  `CASTOR_ASSERT(g12_place_taken_is_free, decided_place == '0 || (decided_place & free_p) != '0)
  `CASTOR_ASSERT(g12_place_freed_is_not_free, !free_place || (freed & free_p) == '0)
  `CASTOR_ASSERT(filled_context_has_its_homes,
                 !enter_valid_o ||
                 (enter_rhome_o == rhomes[32'(enter_slot_o)*6 +: 6] &&
                  enter_shome_o == shomes[32'(enter_slot_o)*6 +: 6]))

  // A thread block that keeps all of its storage needs a place below in_place, one that is copied a place behind them.
  `CASTOR_ASSERT(place_fits_the_class,
                 !decide || class_chosen == 3'd0 || class_chosen == 3'd4 ||
                 ((class_chosen == 3'd1) == (7'(place) < in_place_q)))

  `CASTOR_COVER(exchange_in_place, decide && class_chosen == 3'd1 && rbrings && sbrings)
  `CASTOR_COVER(home_freed_by_a_job_that_brings_one, rbrings && !keeps_rhome)
  `CASTOR_COVER(place_freed_as_one_is_taken, free_place && decided_place != '0)
  `CASTOR_COVER(no_place_is_left, all_p != '0 && free_p == '0)
endmodule

bind castor_tb_swap castor_tb_swap_ownership_properties u_ownership ();
