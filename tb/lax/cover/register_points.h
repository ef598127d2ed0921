#pragma once

#include <string>
#include <vector>

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// The register port: what accesses meet, and what they read.
class RegisterPoints {
 public:
  explicit RegisterPoints(const CoverList& list);
  void see(const Now& now);

 private:
  /// A good answer to the access of the cycle before.
  struct Answer {
    const Now& now;
    [[nodiscard]] unsigned address() const { return now.before->in.reg_addr; }
    [[nodiscard]] bool reads(unsigned from) const { return now.before->in.reg_we == 0 && address() == from; }
    [[nodiscard]] bool writes() const { return now.before->in.reg_we != 0; }
    [[nodiscard]] bool bit(unsigned n) const { return (now.out.reg_rdata >> n & 1U) != 0; }
  };
  /// A point per bit that a status register shows.
  template <std::size_t kCount>
  [[nodiscard]] static std::vector<castor::tb::PointRow<Answer>> shown(const char* const (&names)[kCount],
                                                                       const std::string& what);

  Points<Now> asks_;
  Points<Answer> errors_, irqs_, answers_;
};

}  // namespace castor::lax::tb
