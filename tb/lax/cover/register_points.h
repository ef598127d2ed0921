#pragma once

#include <string>
#include <vector>

#include "tb/lax/cover/facts.h"

namespace castor::lax::tb {

/// Cover points of the register port: events simultaneous with accesses, and values read.
class RegisterPoints {
 public:
  explicit RegisterPoints(const CoverList& list);
  void see(const Now& now);

 private:
  /// A good answer to the previous cycle's access.
  struct Answer {
    const Now& now;
    [[nodiscard]] unsigned address() const { return now.before->in.reg_addr; }
    [[nodiscard]] bool reads(unsigned from) const { return now.before->in.reg_we == 0 && address() == from; }
    [[nodiscard]] bool writes() const { return now.before->in.reg_we != 0; }
    [[nodiscard]] bool bit(unsigned n) const { return (now.out.reg_rdata >> n & 1U) != 0; }
  };
  /// Returns a point for each named bit of a status register.
  template <std::size_t kCount>
  [[nodiscard]] static std::vector<castor::tb::PointRow<Answer>> shown(const char* const (&names)[kCount],
                                                                       const std::string& what);

  Points<Now> asks_;
  Points<Answer> errors_, irqs_, answers_;
};

}  // namespace castor::lax::tb
