// Properties of the block, bound into it. castor prove shows that they hold in all runs. They are written with the
// macros of castor_assert.svh.
`include "castor_assert.svh"

module castor_packer_properties;
  logic              fits_there, fits_here;
  logic [NumSms-1:0] others;

  always_comb begin
    fits_there = 1'b0;
    fits_here = 1'b0;
    others = fits_i;
    for (int unsigned i = 0; i < NumSms; i = i + 1) begin
      if (place_sm_o == SmW'(i)) fits_there = fits_i[i];
      if (sm_q == SmW'(i)) begin
        fits_here = fits_i[i];
        others[i] = 1'b0;
      end
    end
  end

  `CASTOR_ASSERT(offer_if_an_sm_fits, place_valid_o == (fits_i != '0))
  `CASTOR_ASSERT(offered_sm_fits, !place_valid_o || fits_there)
  `CASTOR_ASSERT(number_is_zero_without_offer, place_valid_o || place_sm_o == '0)
  `CASTOR_ASSERT(last_sm_exists, 32'(sm_q) < NumSms)
  `CASTOR_ASSERT(stays_until_full_without_depth, !(run_q != '0 && depth_i == '0 && fits_here) || place_sm_o == sm_q)
  `CASTOR_ASSERT(moves_on_at_depth, !(depth_i != '0 && run_q >= depth_i && others != '0) || place_sm_o != sm_q)

  `CASTOR_COVER(placed_twice_on_an_sm, place_grant_i && run_q == 8'd2)
  `CASTOR_COVER(moves_on_though_there_is_room, place_grant_i && fits_here && run_q != '0 && place_sm_o != sm_q)
endmodule

bind castor_packer castor_packer_properties u_properties ();
