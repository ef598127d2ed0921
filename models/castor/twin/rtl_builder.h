#pragma once

#include <string>
#include <utility>
#include <vector>

#include "castor/twin/rtl_object.h"

namespace castor::twin {

/// Builds RTL of any block of `find_blocks` at any legal values on the first request and keeps it in a cache folder for
/// later requests (docs/decisions/rtl-objects.md). A build takes seconds, or minutes for large values, and is announced
/// on stderr. The flow `rtl-object` of <data folder>/rtl/synthesis does the work. One process runs the flow at most
/// once for each object.
class RtlBuilder final : public RtlSource {
 public:
  /// How the RTL is built.
  enum class Variant : std::uint8_t {
    kPlain,
    kCoverage,  ///< RTL that counts executed lines and toggled bits; slow (RtlOptions::coverage)
  };

  explicit RtlBuilder(Variant variant = Variant::kPlain) : variant_(variant) {}
  /// Throws InputError for an unknown block, and if the flow fails; the flow then prints the reason on stderr.
  [[nodiscard]] std::string object(const std::string& block, const ParamValues& values, bool waves) override;

 private:
  Variant variant_;
};

/// An existing RTL object, such as a netlist or faulty RTL; its path is the answer to every request.
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

/// Returns the path of the RTL object of the block with this manifest; `options` are further options of the flow.
/// Throws the exceptions of RtlBuilder::object.
[[nodiscard]] std::string build_rtl(const std::string& manifest, const ParamValues& values,
                                    const std::vector<std::string>& options = {});

}  // namespace castor::twin
