#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "castor/twin/block.h"
#include "tb/common/cover.h"

namespace castor::tb {

/// The points that every block has, out of its description: each event seen, each level of one bit seen 0 and 1, each
/// state of an enumeration.
template <class Block>
class PortCover {
 public:
  PortCover(Cover& cover, const typename Block::Params& params) : cover_(cover), params_(params) {
    const auto add = [this](const twin::Port& port, const auto& field) {
      using Field = std::decay_t<decltype(field)>;
      if constexpr (twin::detail::has_names<Field>) {
        first_.push_back(points());
        for (const char* const name : enum_names(Field{})) cover_.add(std::string(port.name) + " " + name);
      } else if (port.width == "1 x 1" && port.kind != twin::Class::kPayload) {
        first_.push_back(points());
        if (port.kind == twin::Class::kLevel) cover_.add(std::string(port.name) + " 0");
        cover_.add(std::string(port.name) + " 1");
      } else {
        first_.push_back(kNone);
      }
    };
    typename Block::Inputs in;
    typename Block::Outputs out;
    typename Block::Probes probes;
    Block::each_input([&](const twin::Port& port, auto member, auto) { add(port, in.*member); }, params_);
    Block::each_output([&](const twin::Port& port, auto member, auto) { add(port, out.*member); }, params_);
    Block::each_probe([&](const twin::Port& port, auto member, auto) { add(port, probes.*member); }, params_);
  }

  /// One cycle.
  void watch(const typename Block::Inputs& in, const typename Block::Outputs& out,
             const typename Block::Probes& probes) {
    std::size_t i = 0;
    const auto see = [this, &i](const twin::Port& port, const auto& field) {
      using Field = std::decay_t<decltype(field)>;
      const unsigned first = first_[i++];
      if (first == kNone) return;
      if constexpr (twin::detail::has_names<Field>) {
        if (static_cast<std::size_t>(field) < std::size(enum_names(field))) {
          cover_.hit(first + static_cast<unsigned>(field));
        }
      } else if constexpr (std::is_integral_v<Field>) {
        const unsigned set = field != 0 ? 1 : 0;
        if (port.kind == twin::Class::kLevel) {
          cover_.hit(first + set);
        } else {
          cover_.hit_if(first, set != 0);
        }
      }
    };
    Block::each_input([&](const twin::Port& port, auto member, auto) { see(port, in.*member); }, params_);
    Block::each_output([&](const twin::Port& port, auto member, auto) { see(port, out.*member); }, params_);
    Block::each_probe([&](const twin::Port& port, auto member, auto) { see(port, probes.*member); }, params_);
  }

 private:
  static constexpr unsigned kNone = ~0U;
  [[nodiscard]] unsigned points() const { return cover_.size(); }

  Cover& cover_;
  typename Block::Params params_;
  std::vector<unsigned> first_;  // of each field
};

}  // namespace castor::tb
