// Control flow, barriers, and calls of the machine's services (PTX ISA, "Control Flow Instructions", "bar",
// "Miscellaneous Instructions").

#include "castor/isa/lanes.h"

CASTOR_INSTRUCTIONS(control) {
  using namespace castor::isa;  // NOLINT(google-build-using-namespace): the body of one function
  const auto row = [&](const char* syntax, const char* operands, TimingClass timing, Kind kind, const char* meaning) {
    table.add({syntax, operands, timing, kind, nullptr, nullptr, meaning});
  };
  using Timing = TimingClass;
  row("bra.[uni]", "target:label", Timing::kBranch, Kind::kBranch, "goes to the target");
  row("brx.idx.[uni]", "index:u32, targets:table", Timing::kBranch, Kind::kBranchIndirect,
      "goes to the target that the index picks from a list");
  row("call.[uni]", "callee:call", Timing::kBranch, Kind::kCall, "calls a function, direct or by its address");
  row("ret.[uni]", "", Timing::kBranch, Kind::kReturn, "returns to the caller; in a kernel: ends the thread");
  row("exit", "", Timing::kExit, Kind::kExit, "ends the thread");
  row("trap", "", Timing::kExit, Kind::kTrap, "stops the kernel with an error");
  row("brkpt", "", Timing::kSystem, Kind::kBreakpoint, "breakpoint; nothing without a debugger");
  row("nanosleep.u32", "t:u32", Timing::kSystem, Kind::kSleep, "waits about t ns");
  row("griddepcontrol.{launch_dependents|wait}", "", Timing::kSystem, Kind::kNop,
      "no effect: a grid starts when those that it depends on have ended");
  row("pmevent", "event:imm", Timing::kSystem, Kind::kNop, "no effect");
  row("pmevent.mask", "events:imm", Timing::kSystem, Kind::kNop, "no effect");

  const auto barrier = [&](const std::string& syntax, const char* operands, const char* meaning) {
    row(("bar." + syntax).c_str(), operands, Timing::kBarrier, Kind::kBarrier, meaning);
    row(("bar.cta." + syntax).c_str(), operands, Timing::kBarrier, Kind::kBarrier, meaning);
    const std::size_t type = syntax.find(".u32") != std::string::npos    ? syntax.find(".u32")
                             : syntax.find(".pred") != std::string::npos ? syntax.find(".pred")
                                                                         : syntax.size();
    const std::string unaligned = syntax.substr(0, type) + ".[aligned]" + syntax.substr(type);
    row(("barrier.[cta]." + unaligned).c_str(), operands, Timing::kBarrier, Kind::kBarrier, meaning);
  };
  barrier("sync", "a:u32, b:u32?", "waits until b threads (all, if absent) have arrived at barrier a");
  barrier("arrive", "a:u32, b:u32", "arrives at barrier a without waiting");
  barrier("red.popc.u32", "=d:u32, a:u32, b:u32?, c:pred", "waits; how many threads have c");
  barrier("red.{and|or}.pred", "=p:pred, a:u32, b:u32?, c:pred", "waits; whether all or any threads have c");
  row("bar.warp.sync", "mask:u32", Timing::kBarrier, Kind::kBarrier, "waits for the named lanes of the warp");
}
