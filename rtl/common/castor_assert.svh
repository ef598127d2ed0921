// Assertions that simulator and formal tool both take. Each macro stands in a module that has clk_i and rst_ni; `name`
// labels the claim. Nothing is checked while reset is held.
//
//   CASTOR_ASSERT(name, condition)   condition holds at every clock edge
//   CASTOR_ASSUME(name, condition)   the surroundings keep to condition; a simulator checks it instead
//   CASTOR_CHOICE(name, condition)   what a proof picks to watch is restricted to condition. It says nothing of the
//                                    surroundings, so a simulator has nothing to check
//   CASTOR_COVER(name, condition)    condition is seen at some edge
//   CASTOR_ASSERT_STABLE(name, valid, ready, payload, width)
//                                    while valid waits for ready, it stays and its payload of `width` bits does not
//                                    change; declares registers, so it stands at module level like the others
//
// With CASTOR_ASSUMPTIONS defined, as in RTL objects (docs/guides/flows.md, "Assumptions"), assumptions alone remain. One
// that is broken is told to the program by name.
`ifndef CASTOR_ASSERT_SVH
`define CASTOR_ASSERT_SVH

`ifdef YOSYS
`define CASTOR_ASSERT(name, condition) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni) begin \
      name : assert (condition); \
    end \
  end
`define CASTOR_ASSUME(name, condition) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni) begin \
      name : assume (condition); \
    end \
  end
`define CASTOR_CHOICE(name, condition) `CASTOR_ASSUME(name, condition)
`define CASTOR_COVER(name, condition) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni) begin \
      name : cover (condition); \
    end \
  end
`elsif CASTOR_ASSUMPTIONS
import "DPI-C" function void castor_assumption_broken(input string name);

`define CASTOR_ASSERT(name, condition)
`define CASTOR_ASSUME(name, condition) \
  always_ff @(posedge clk_i) begin : name \
    if (rst_ni && !(condition)) begin \
      castor_assumption_broken($sformatf("%m")); \
    end \
  end
`define CASTOR_CHOICE(name, condition)
`define CASTOR_COVER(name, condition)
`else
`define CASTOR_ASSERT(name, condition) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni) begin \
      name : assert (condition) \
      else $error("%m: %s", `"condition`"); \
    end \
  end
`define CASTOR_ASSUME(name, condition) `CASTOR_ASSERT(name, condition)
`define CASTOR_CHOICE(name, condition)
`define CASTOR_COVER(name, condition) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni) begin \
      name : cover (condition); \
    end \
  end
`endif

`define CASTOR_ASSERT_STABLE(name, valid, ready, payload, width) \
  logic name``_waiting_q; \
  logic [width-1:0] name``_payload_q; \
  always_ff @(posedge clk_i) begin \
    name``_waiting_q <= rst_ni && (valid) && !(ready); \
    name``_payload_q <= (payload); \
  end \
  `CASTOR_ASSERT(name, !name``_waiting_q || ((valid) && (payload) == name``_payload_q))

`endif
