#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/shared_object.h"
#include "castor/twin/rtl_options.h"
#include "castor/twin/twin.h"

/// RTL as shared objects: one per block and set of parameter values, made when it is asked for.
namespace castor::twin {

/// Names and values of all parameters of a block, in the order of its list.
using ParamValues = std::vector<std::pair<std::string, std::uint32_t>>;

template <class Params>
[[nodiscard]] ParamValues param_values(const Params& params) {
  ParamValues values;
  Params::each([&](const Param& param, auto member) { values.emplace_back(param.name, params.*member); });
  return values;
}

/// Who knows where RTL objects are, and makes those that are not there.
class RtlSource {
 public:
  virtual ~RtlSource() = default;
  /// Path of the RTL of `block` at these values; `waves`: one that can show what is inside. Errors:
  /// InputError if it cannot be made, with what is missing.
  [[nodiscard]] virtual std::string object(const std::string& block, const ParamValues& values, bool waves) = 0;
};

/// What the function `castor_rtl_object` of such an object gives.
template <class Block>
struct RtlObject {
  base::ObjectHeader header;
  const char* params;  ///< as `params_text` writes them; of a netlist or of mutants too
  bool waves;          ///< RtlOptions::waves may be asked for
  Twin<Block>* (*make)(const typename Block::Params&, const RtlOptions&);  ///< the caller deletes it
};

/// RTL at these parameters out of the object at `path`. Errors: as base::load_object, and InputError if it was made for
/// other parameters, or without the waves that `options` ask for.
template <class Block>
[[nodiscard]] std::unique_ptr<Twin<Block>> load_rtl(const std::string& path, const typename Block::Params& params,
                                                    const RtlOptions& options) {
  const base::ObjectHeader& header = base::load_object(path, "castor_rtl_object", "rtl", Block::kBlock);
  const auto& object = *reinterpret_cast<const RtlObject<Block>*>(&header);
  if (object.params != params_text(params)) {
    throw base::InputError("'" + path + "' is RTL of " + Block::kBlock + " at " + object.params + ", not at " +
                           params_text(params));
  }
  if (options.waves() && !object.waves) {
    throw base::InputError("'" + path + "' is RTL of " + Block::kBlock + " that shows nothing of its inside",
                           "option --waves of the flow rtl-object builds what does");
  }
  return std::unique_ptr<Twin<Block>>(object.make(params, options));
}

}  // namespace castor::twin
