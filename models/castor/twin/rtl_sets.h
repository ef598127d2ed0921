#pragma once

#include <memory>
#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor/twin/rtl_options.h"
#include "castor/twin/twin.h"

namespace castor::twin {

/// RTL of a block that was verilated into this program: one parameter set of rtl/<block>/parameter_sets.json.
template <class Block>
struct RtlSet {
  std::string name;
  typename Block::Params params;
  std::unique_ptr<Twin<Block>> (*make)(const typename Block::Params&, const RtlOptions&);
};

inline constexpr const char* kNoRtl = "this build is without RTL (Verilator, CASTOR_BUILD_RTL)";

/// All of them, in the order of the file; empty in a build without RTL. Defined by what castor_block generates
/// (Castor::rtl_<block>).
template <class Block>
const std::vector<RtlSet<Block>>& rtl_sets();

/// The set of that name. Throws InputError that lists the names.
template <class Block>
const RtlSet<Block>& rtl_set(const std::string& name) {
  std::string names;
  for (const RtlSet<Block>& set : rtl_sets<Block>()) {
    if (set.name == name) return set;
    names += (names.empty() ? "" : ", ") + set.name;
  }
  throw base::InputError(std::string(Block::kBlock) + ": no parameter set '" + base::printable(name) + "'",
                         names.empty() ? kNoRtl : "sets are " + names);
}

/// RTL at these parameters. Throws InputError that lists the sets if it was not built at them.
template <class Block>
std::unique_ptr<Twin<Block>> make_rtl(const typename Block::Params& params, const RtlOptions& options) {
  std::string sets;
  for (const RtlSet<Block>& set : rtl_sets<Block>()) {
    if (same_params(set.params, params)) return set.make(params, options);
    sets += (sets.empty() ? "" : "; ") + set.name + ": " + params_text(set.params);
  }
  throw base::InputError(std::string(Block::kBlock) + ": no RTL at " + params_text(params),
                         sets.empty() ? kNoRtl : "there is RTL at the sets " + sets);
}

}  // namespace castor::twin
