#pragma once

#include <string>
#include <utility>
#include <vector>

#include "castor/twin/rtl_object.h"

namespace castor::twin {

/// RTL of any block of `find_blocks` at any legal values: verilated and compiled when it is first asked for, and kept
/// in a cache folder for everybody who asks later (docs/decisions/rtl-objects.md). That takes seconds, or minutes for
/// large values, and says so on stderr; the flow `rtl-object` of <data folder>/rtl/synthesis does the work. One process
/// asks the flow once for each object.
class RtlBuilder final : public RtlSource {
 public:
  enum class Variant : std::uint8_t {
    kPlain,
    kCoverage,  ///< counts executed lines and toggled bits, and is slow (RtlOptions::coverage)
  };

  explicit RtlBuilder(Variant variant = Variant::kPlain) : variant_(variant) {}
  /// Errors: InputError for an unknown block, and if the flow fails, which has said why on stderr.
  [[nodiscard]] std::string object(const std::string& block, const ParamValues& values, bool waves) override;

 private:
  Variant variant_;
};

/// One RTL object that is there already, such as that of a netlist or of faulty RTL.
class RtlFile final : public RtlSource {
 public:
  explicit RtlFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] std::string object(const std::string& /*block*/, const ParamValues& /*values*/,
                                   bool /*waves*/) override {
    return path_;
  }

 private:
  std::string path_;
};

/// Path of the RTL object of the block whose manifest this is; `options` are further ones of the flow. Errors: as
/// RtlBuilder::object.
[[nodiscard]] std::string build_rtl(const std::string& manifest, const ParamValues& values,
                                    const std::vector<std::string>& options = {});

}  // namespace castor::twin
