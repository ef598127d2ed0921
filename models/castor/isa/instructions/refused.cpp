// What PTX has and Castor refuses, and what to do instead.

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
  for (const char* opcode : {"griddepcontrol", "clusterlaunchcontrol", "mapa", "getctarank", "setmaxnreg",
                             "barrier.cluster", "red.async", "st.async", "st.bulk", ".shared::cluster"})
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
  table.refuse("createpolicy", "only createpolicy.fractional is known, and cache policies have no effect");
}
