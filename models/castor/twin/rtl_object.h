#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/shared_object.h"
#include "castor/twin/rtl_options.h"
#include "castor/twin/twin.h"

/// RTL in shared objects: one per block and set of parameter values, built on request.
namespace castor::twin {

/// Names and values of all parameters of a block, in the order of its list.
using ParamValues = std::vector<std::pair<std::string, std::uint32_t>>;

template <class Params>
[[nodiscard]] ParamValues param_values(const Params& params) {
  ParamValues values;
  Params::each([&](const Param& param, auto member) { values.emplace_back(param.name, params.*member); });
  return values;
}

/// Finds RTL objects, and builds the missing ones.
class RtlSource {
 public:
  virtual ~RtlSource() = default;
  /// Returns the path of the RTL of `block` at these values. `waves`: the RTL must be able to show its internal
  /// signals. Throws InputError, with the reason, if the RTL cannot be built.
  [[nodiscard]] virtual std::string object(const std::string& block, const ParamValues& values, bool waves) = 0;
};

/// Struct to which the function `castor_rtl_object` of an RTL object returns a pointer.
template <class Block>
struct RtlObject {
  base::ObjectHeader header;
  const char* params;  ///< parameters as `params_text` writes them; also set for a netlist or mutants
  bool waves;          ///< whether the object supports RtlOptions::waves
  Twin<Block>* (*make)(const typename Block::Params&, const RtlOptions&);  ///< makes the twin; the caller deletes it
};

/// Loads RTL at these parameters from the object at `path`. Throws the exceptions of base::load_object, and InputError
/// if the object was built for other parameters, or without the waves that `options` request.
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
    throw base::InputError(
        "'" + path + "' is RTL of " + Block::kBlock + " that was built without waves of its internal signals",
        "build it with option --waves of the flow rtl-object");
  }
  return std::unique_ptr<Twin<Block>>(object.make(params, options));
}

}  // namespace castor::twin
