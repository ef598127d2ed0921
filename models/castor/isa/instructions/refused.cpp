// PTX instructions and operands that Castor refuses, with the alternative for each.

#include <string>

#include "castor/isa/instruction_table.h"
#include "castor/isa/lanes.h"

CASTOR_INSTRUCTIONS(refused) {
  const char* const texture =
      "there is no texture unit; read the data from global memory (ld.global.nc for read-only data)";
  for (const char* opcode : {"tex", "tld4", "txq", "istypep"}) table.refuse(opcode, texture);
  const char* const surface = "there are no surfaces; use loads, stores and atomics on global memory";
  for (const char* opcode : {"suld", "sust", "sured", "suq"}) table.refuse(opcode, surface);
  const char* const tensor =
      "there are no tensor cores; compile the kernel without them (plain fma on f32, f16x2 or f64)";
  for (const char* opcode : {"wmma", "mma", "wgmma", "tcgen05", "ldmatrix", "stmatrix", "movmatrix"})
    table.refuse(opcode, tensor);
  const char* const copies =
      "asynchronous copies do not exist here; compile for sm_75 or older, or copy with ld.global and st.shared";
  for (const char* opcode : {"cp", "mbarrier", "tensormap", "multimem"}) table.refuse(opcode, copies);
  const char* const grid = "it belongs to clusters and dependent launches of sm_90; compile for sm_86 or older";
  for (const char* opcode : {"clusterlaunchcontrol", "setmaxnreg", "barrier.cluster", "red.async", "st.async",
                             "st.bulk", ".sync_restrict::shared::cluster", ".sync_restrict::shared::cta"})
    table.refuse(opcode, grid);
  const char* const stack = "dynamic stack allocation is not supported; use an array of fixed size";
  for (const char* opcode : {"alloca", "stacksave", "stackrestore"}) table.refuse(opcode, stack);
  table.refuse("fence.proxy", "there is only one path to memory; use fence.acq_rel.gpu or remove it");
  table.refuse("fence.mbarrier_init", copies);
  table.refuse(".b128", "128-bit values are only moved, loaded and stored here; use two 64-bit ones");
  table.refuse(".v8", "at most 16 bytes per lane are moved at once; use .v4 or less");
  table.refuse("ld.const.nc", "constants are read-only already; write ld.const");
  table.refuse("cvta.param", "parameters have no generic address before they are stored; use ld.param");
  table.refuse("cvta.to.param", "parameters have no generic address; use ld.param");
  table.refuse("createpolicy.range", "cache policies have no effect; use createpolicy.fractional or none");
  for (const char* opcode : {"atom .v2", "atom .v4", "atom .v8", "red .v2", "red .v4", "red .v8"})
    table.refuse(opcode, "atomics work on one value; write one for each element");
  table.refuse("fma .oob", "values out of bounds come from tensor copies, which do not exist here; leave .oob out");
  table.refuse("prefetch .tensormap", copies);
  for (const char* type : {"u4", "s4", "u2", "s2"})
    table.refuse(std::string("cvt.pack.sat.") + type, "integers of fewer than 8 bits are not packed; use bfi");
  for (const char* type : {".e2m1x2", ".e2m3x2", ".e3m2x2", ".ue8m0x2", ".rs"})
    table.refuse(type, "formats and rounding of sm_100 do not exist here; compile for sm_90 or older");

  // Registers, by the beginning of their names.
  table.refuse("%envreg", "no driver sets it (%envreg0 to %envreg2 alone have a value); pass the value as a parameter");
  table.refuse("%pm", "there are no performance counters of hardware; reports have the machine's statistics");
  table.refuse("%reserved_smem_", "no shared memory is set aside for the system");
  table.refuse("%aggr_smem_size", "use %total_smem_size; no shared memory is set aside for the system");
  table.refuse("%current_graph_exec", "there are no graphs that device code starts");
  // Operands. The parser looks up these reasons by the same words.
  table.refuse("%d.b0", "parts of destinations are not written; write all of it, and merge with bfi");
  table.refuse("%a.b3210", "the parts that vadd4, vadd2 and the like pick or write cannot be chosen; use prmt");
}
