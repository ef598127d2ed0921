// Assertion macros for simulators and formal tools. A macro is used at module level, in a module with clk_i and rst_ni;
// `name` labels the property. Properties are not checked during reset.
//
//   CASTOR_ASSERT(name, condition)   asserts that the condition holds at every clock edge
//   CASTOR_ASSUME(name, condition)   assumes that the environment keeps the condition; a simulator asserts it
//   CASTOR_CHOICE(name, condition)   restricts free variables of a proof, such as the group it follows. It says nothing
//                                    about the environment, so a simulator checks nothing
//   CASTOR_COVER(name, condition)    covers the condition: true at some clock edge
//   CASTOR_ASSERT_STABLE(name, valid, ready, payload, width)
//                                    asserts that valid and the payload of `width` bits stay unchanged from the cycle
//                                    in which valid is set until ready is set; declares registers
//
// With CASTOR_ASSUMPTIONS defined, as in RTL objects (docs/guides/flows.md, "Assumptions"), only assumptions remain.
// The name of a violated assumption is reported to the program through DPI.
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
