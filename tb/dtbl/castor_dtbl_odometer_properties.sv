// Properties of the odometer (docs/blocks/dtbl.md, "Invariants"), for any size, which may even change in any cycle. The
// odometer is a counter with three digits. The proofs also cover counts that no simulation is long enough to reach.
`include "castor_assert.svh"

module castor_dtbl_odometer_properties;
  // Whether another index follows in each dimension; a size of 0 acts as 1.
  logic more_x, more_y, more_z;

  assign more_x = (dim_i[31:0] != '0) && (od_q[31:0] < dim_i[31:0] - 32'd1);
  assign more_y = (dim_i[47:32] != '0) && (od_q[47:32] < dim_i[47:32] - 16'd1);
  assign more_z = (dim_i[63:48] != '0) && (od_q[63:48] < dim_i[63:48] - 16'd1);

  // Requests and position of the previous cycle.
  logic        started_q, stepped_q, stayed_q, carry_x_q, carry_y_q;
  logic [63:0] od_before_q;
  logic [31:0] pos_before_q;

  always_ff @(posedge clk_i) begin
    started_q    <= !rst_ni || start_i;
    stepped_q    <= rst_ni && !start_i && step_i;
    stayed_q     <= rst_ni && !start_i && !step_i;
    carry_x_q    <= !more_x;
    carry_y_q    <= !more_x && !more_y;
    od_before_q  <= od_q;
    pos_before_q <= pos_q;
  end

  `CASTOR_ASSERT(v1_item_begins_with_the_first, !started_q || (od_q == '0 && pos_q == '0))
  `CASTOR_ASSERT(v1_place_stays_without_a_step, !stayed_q || (od_q == od_before_q && pos_q == pos_before_q))
  `CASTOR_ASSERT(v1_position_counts_the_steps, !stepped_q || pos_q - pos_before_q == 32'd1)
  `CASTOR_ASSERT(v1_x_counts_and_begins_again,
                 !stepped_q || od_q[31:0] == (carry_x_q ? 32'd0 : od_before_q[31:0] + 32'd1))
  `CASTOR_ASSERT(v1_y_counts_the_rows,
                 !stepped_q || od_q[47:32] == (carry_y_q ? 16'd0 : od_before_q[47:32] + 16'(carry_x_q)))
  `CASTOR_ASSERT(v1_z_counts_the_planes, !stepped_q || od_q[63:48] == od_before_q[63:48] + 16'(carry_y_q))
  `CASTOR_ASSERT(v1_last_has_none_behind_it, last_o == !(more_x || more_y || more_z))

  `CASTOR_COVER(alone_carry_into_z, stepped_q && carry_y_q)
  `CASTOR_COVER(last_of_several, last_o && pos_q == 32'd3)
endmodule

bind castor_dtbl_odometer castor_dtbl_odometer_properties u_properties ();
