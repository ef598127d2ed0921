#include "tb/darsie/scripts.h"

#include <string>

namespace castor::darsie::tb {

namespace {

using Text = std::vector<std::string>;

/// Returns a script in which a warp has three pending versions of one register, the last of them not written, and takes
/// them in order. It starts with `before` elections, so that the versions have other sequence numbers.
Text lagging(unsigned before) {
  Text text = {"launch t0 warps 0111 full 0111 en 1 promote 1 base 0 rows 3 slots 2"};
  for (unsigned i = 0; i < before; ++i) {
    const std::string at = "@" + std::to_string(64 + 8 * i);
    text.insert(text.end(), {"decode w0" + at + " DR:1", "issue w0 lead 0 dst 1; wb t0 k0", "elig w1" + at + " w2" + at,
                             "issue w0 dst 1", "issue w1 dst 1", "issue w2 dst 1"});
  }
  for (unsigned row = 0; row < 3; ++row) {
    const std::string k = std::to_string(row);
    text.push_back("decode w0@" + std::to_string(8 * row) + " DR:0");
    text.push_back("issue w0 lead " + k + " dst 0" + (row < 2 ? "; wb t0 k" + k : ""));
  }
  text.insert(text.end(), {"decode w1@0 DR:0", "elig w1@0", "decode w1@8 DR:0", "elig w1@8", "decode w1@16 DR:0",
                           "elig w1@16", "wb t0 k2", "elig w1@16", "exit w0 w1 w2", "retire t0"});
  return text;
}

}  // namespace

void Scripts::drive(Inputs& in) {
  if (pause_ > 0) {
    --pause_;
    play("", params_, in);
    return;
  }
  play(scripts_[script_][row_], params_, in);
  if (++row_ < scripts_[script_].size()) return;
  row_ = 0;
  script_ = (script_ + 1) % scripts_.size();
  pause_ = random_.below(4);
}

std::unique_ptr<Sequence> golden_script(const Params& params, std::uint64_t seed) {
  static const std::vector<std::vector<const char*>> all = [] {
    std::vector<std::vector<const char*>> texts;
    for (const Trace& trace : golden_traces()) {
      texts.emplace_back();
      for (const TraceRow& row : trace.rows) texts.back().push_back(row.inputs);
      if (trace.tb == 0) texts.back().insert(texts.back().end(), {"exit w0 w1 w2", "retire t0"});
    }
    return texts;
  }();
  return std::make_unique<Scripts>(params, seed, all);
}

std::unique_ptr<Sequence> corner_script(const Params& params, std::uint64_t seed) {
  return std::make_unique<Scripts>(params, seed, corners());
}

const std::vector<std::vector<const char*>>& corners() {
  static constexpr const char* kThree = "launch t0 warps 0111 full 0111 en 1 promote 1 base 8 rows 4 slots 2";
  static const std::vector<std::vector<const char*>> fixed = {
      // A store in the cycle of the skip, of the wait, of the late wait, and of the election of a load.
      {kThree, "decode w0@0 DR:0/1", "issue w0 lead 0 dst 0; wb t0 k0", "elig w1@0; store t0", "decode w2@0 DR:0/1",
       "issue w2 dst 0; exit w0 w1 w2", "retire t0"},
      {kThree, "decode w0@0 DR:0/1", "issue w0 lead 0 dst 0; elig w1@0; store t0", "elig w1@0", "decode w1@0 DR:0/1",
       "issue w1 lead 1 dst 0; elig w2@0", "wb t0 k0; wb t0 k1", "elig w2@0", "exit w0 w1 w2", "retire t0"},
      {kThree, "decode w0@0 DR:0/2", "issue w0 lead 0 dst 0; decode w1@0 DR:0/2; global",
       "decode w1@0 DR:0/2; store t0", "issue w1 lead 1 dst 0; decode w2@0 DR:0/2", "wb t0 k1", "elig w2@0; global",
       "wb t0 k0", "exit w0 w1 w2", "retire t0"},
      {kThree, "decode w0@0 DR:0/1; store t0", "issue w0 lead 0 dst 0", "elig w1@0 w2@0", "wb t0 k0", "elig w1@0 w2@0",
       "exit w0 w1 w2", "retire t0"},
      // A pair while exactly one row is free: a synchronisation point, then private execution.
      {"launch t0 warps 0011 full 0011 en 1 promote 1 base 0 rows 3 slots 3", "decode w0@0 DR:0,1",
       "issue w0 lead 0,1 dst 0,1; wb t0 k0", "elig w1@0; wb t0 k1", "elig w1@0", "decode w0@8 DR:1,2",
       "decode w1@8 DR:1,2", "", "decode w0@8 DR:1,2", "issue w0 dst 1,2; decode w1@8 DR:1,2", "issue w1 dst 1,2",
       "br w0 w1 not", "", "exit w0 w1", "retire t0"},
      // The two rows of a pair are written in different cycles; a warp waits for both.
      {kThree, "decode w0@0 DR:0,1", "issue w0 lead 0,1 dst 0,1; elig w1@0; decode w2@0 DR:0,1", "wb t0 k1",
       "elig w1@0 w2@0", "wb t0 k0", "elig w1@0 w2@0", "issue w1 src 0,1; issue w2 src 1,0", "exit w0 w1 w2",
       "retire t0"},
      // A stopped and a waiting warp leave; the first copies a row, the second has nothing to copy.
      {kThree, "decode w0@0 DR:0", "issue w0 lead 0 dst 0; elig w1@0", "decode w2@0 DR:0", "br w0 taken", "leave w0 w1",
       "wb t0 k0", "", "ack", "leave w2", "", "", "exit w0 w1 w2", "retire t0"},
      // Tied votes: sides of one warp each, and of two warps each.
      {"launch t0 warps 0011 full 0011 en 1 promote 0 base 0 rows 2 slots 1", "br w0 taken", "br w1 not", "", "",
       "bar t0 join 0011", "br w1 taken", "br w0 not", "", "", "exit w0 w1", "retire t0"},
      {"launch t0 warps 1111 full 1111 en 1 promote 0 base 0 rows 2 slots 1", "br w1 w2 taken; leave w0", "br w3 not",
       "", "", "bar t0 join 1111", "br w0 w3 taken", "br w1 w2 not", "", "", "exit w0 w1 w2 w3", "retire t0"},
      // Twice, two thread blocks could complete in the same cycle; the round-robin pointer selects one.
      {"launch t0 warps 0011 full 0011 en 1 promote 0 base 0 rows 2 slots 1",
       "launch t1 warps 1100 full 1100 en 1 promote 0 base 2 rows 2 slots 1", "br w0 w1 w2 w3 taken", "", "",
       "br w0 w1 w2 not; br w3 taken", "", "", "exit w0 w1 w2 w3", "retire t1", "retire t0"},
      // A TB slot is retired and launched at the same edge; a launch is refused while the slot is in use.
      {"launch t0 warps 0001 full 0001 en 1 promote 0 base 0 rows 1 slots 1", "exit w0",
       "retire t0; launch t0 warps 0010 full 0000 en 1 promote 1 base 1 rows 1 slots 1", "exit w1", "retire t0"},
      // A row that a store made stale stays stale during another election; the next warp then executes privately.
      {"launch t0 warps 0111 full 0111 en 1 promote 1 base 0 rows 3 slots 2",
       "decode w0@0 DR:0",
       "issue w0 lead 0 dst 0; wb t0 k0",
       "elig w1@0 w2@0",
       "decode w0@8 DR:1",
       "issue w0 lead 1 dst 1; wb t0 k1",
       "elig w1@8 w2@8",
       "decode w0@16 DR:0/1",
       "issue w0 lead 2 dst 0; wb t0 k2",
       "store t0",
       "issue w1 dst 0",
       "issue w2 dst 0",
       "decode w0@24 DR:1",
       "issue w0 lead 0 dst 1; wb t0 k0",
       "decode w1@16 DR:0/1",
       "issue w1 dst 0",
       "decode w2@16 DR:0/1",
       "issue w2 dst 0",
       "exit w0 w1 w2",
       "retire t0"},
      // A meeting becomes complete because the last missing warp exits, leaves, or is at a barrier.
      {kThree, "br w0 w1 taken", "exit w2", "", "", "br w0 taken", "leave w1", "", "", "", "bar t0 join 0011",
       "exit w0 w1", "retire t0"}};
  static const std::vector<Text> made = [] {
    std::vector<Text> texts;
    for (unsigned before = 0; before < 6; ++before) texts.push_back(lagging(before));
    return texts;
  }();
  static const std::vector<std::vector<const char*>> all = [] {
    std::vector<std::vector<const char*>> texts = fixed;
    for (const Text& text : made) {
      texts.emplace_back();
      for (const std::string& row : text) texts.back().push_back(row.c_str());
    }
    return texts;
  }();
  return all;
}

}  // namespace castor::darsie::tb
