#include "unit/darsie/golden.h"

#include <map>
#include <sstream>

namespace castor::darsie::test {
namespace {

std::string bits(U64 value, unsigned width) {
  std::string text;
  for (unsigned b = width; b-- > 0;) text += (value >> b & 1U) != 0 ? '1' : '0';
  return text;
}

/// Returns the registers that a trace shows, in the trace's notation.
std::map<std::string, std::string> registers(const Probes& seen, unsigned t) {
  std::map<std::string, std::string> all;
  for (unsigned w = 0; w < 3; ++w) {
    all["pend" + std::to_string(w)] = bits(seen.pend[w], 4);
    all["ref" + std::to_string(w)] = bits(seen.ref[w], 4);
    all["ling" + std::to_string(w)] = bits(seen.ling[w], 4);
  }
  const auto warps = [&all](const char* name, U64 mask) { all[name] = bits(mask, 3); };
  warps("maj", seen.majority);
  warps("miss", seen.miss);
  warps("lat", seen.lat);
  warps("stop", seen.stop);
  warps("cpy", seen.cpy);
  all["wb"] = bits(seen.wb[t], 4);
  all["inv"] = bits(seen.inv[t], 4);
  all["nosk"] = bits(seen.nosk[t], 4);
  all["pv"] = bits(seen.pv[t], 2);
  all["ctr"] = std::to_string(seen.ctr[t]);
  const auto flag = [&](const char* name, U32 mask) { all[name] = bits(mask >> t, 1); };
  flag("sync", seen.sync);
  flag("synced", seen.synced);
  flag("noel", seen.noel);
  all["cpv"] = std::to_string(seen.cpv);
  all["rrf"] = std::to_string(seen.rrf);
  return all;
}

/// Returns the outputs of a cycle in the trace's notation. f_hold, maj and err are left out, because they have columns
/// of their own.
std::string outputs(const Inputs& in, const Outputs& out, const Params& params) {
  static constexpr const char* kActs[] = {"PASS", "LEAD", "PRIV", "SQUASH"};
  std::string text;
  const auto item = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (out.f_skip != 0) item("skip " + bits(out.f_skip, 3));
  bool leads = false;
  std::string acts;
  for (unsigned s = 0; s < params.DecW; ++s) {
    if ((in.d_valid >> s & 1U) == 0) continue;
    acts += (acts.empty() ? "" : ",") + std::string(kActs[out.d_act[s]]);
    leads = leads || out.d_act[s] == 1;
  }
  if (!acts.empty()) item("act " + acts + (leads ? " tag " + std::to_string(out.d_tag[0]) : ""));
  for (unsigned p = 0; p < params.NumIss; ++p) {
    for (unsigned a = 0; a < params.NumSrc; ++a) {
      if ((out.i_sren[p] >> a & 1U) != 0) item("row " + std::to_string(out.i_srow[p * params.NumSrc + a]));
    }
  }
  if (out.cp_valid != 0) {
    item("cp w" + std::to_string(out.cp_warp) + " row " + std::to_string(out.cp_row) + " slot " +
         std::to_string(out.cp_slot));
  }
  return text;
}

}  // namespace

std::string follow_golden(twin::Twin<Block>& machine, const tb::Trace& trace,
                          const std::function<std::string(const tb::TraceRow&)>& more) {
  const Params& params = machine.params();
  Inputs in;
  auto expected = registers(machine.probes(), trace.tb);
  for (std::size_t cycle = 0; cycle < trace.rows.size(); ++cycle) {
    const tb::TraceRow& row = trace.rows[cycle];
    std::string wrong;
    const auto compare = [&wrong](const std::string& what, const std::string& is, const std::string& should) {
      if (is != should) wrong += what + " is '" + is + "', expected '" + should + "'; ";
    };
    twin::make_idle<Block>(in, params);
    tb::play(row.inputs, params, in);
    const Outputs out = machine.settle(in);
    compare("f_hold", bits(out.f_hold, 3), row.hold);
    compare("outputs", outputs(in, out, params), row.outputs);
    compare("err", bits(out.err, 8), "00000000");
    if (more) wrong += more(row);
    machine.clock(in);
    std::istringstream changes(row.state);
    for (std::string change; changes >> change;) {
      const std::size_t at = change.find('=');
      expected[change.substr(0, at)] = change.substr(at + 1);
    }
    auto is = registers(machine.probes(), trace.tb);
    if ((machine.probes().tl >> trace.tb & 1U) == 0) {  // an unused slot has no registers to show
      for (const char* name : {"wb", "inv", "nosk", "pv", "ctr", "sync", "synced", "noel"}) expected[name] = is[name];
    }
    for (const auto& [name, value] : expected) compare(name, is[name], value);
    compare("maj", bits(machine.settle({}).maj, 3), expected["maj"]);
    if (!wrong.empty()) return "cycle " + std::to_string(cycle) + ": " + wrong;
  }
  return {};
}

}  // namespace castor::darsie::test
