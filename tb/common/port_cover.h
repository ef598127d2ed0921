#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "castor/twin/block.h"
#include "tb/common/cover.h"

namespace castor::tb {

/// Waiver for the highest bit of a port or probe: a run of the usual length cannot toggle this bit at these parameters.
struct TopBitWaiver {
  std::string_view name;
  std::string_view reason;
};

namespace detail {

/// Returns the name of the cover point of a field's highest bit.
[[nodiscard]] inline std::string top_bit_point(std::string_view name) { return std::string(name) + " top bit"; }

/// Returns whether the highest bit of the field, or of any of its elements, is 1.
template <class Field>
[[nodiscard]] bool top_bit(const Field& field, twin::Shape shape) {
  if (shape.bits == 0) return false;
  const unsigned top = shape.bits - 1;
  if constexpr (twin::is_lanes<Field>) {
    for (unsigned i = 0; i < shape.elements; ++i) {
      if ((static_cast<twin::U64>(field[i]) >> top & 1U) != 0) return true;
    }
    return false;
  } else if constexpr (twin::is_bits<Field>) {
    return field.test(top);
  } else {
    return (static_cast<twin::U64>(field) >> top & 1U) != 0;
  }
}

/// Returns whether the field is 0.
template <class Field>
[[nodiscard]] bool zero(const Field& field) {
  return field == Field{};
}

}  // namespace detail

/// Cover points of every block, derived from its port description: each event seen, each one-bit level seen at 0 and at
/// 1, each state of an enumeration seen. Each wider field has the point "NAME top bit": the highest bit of any element
/// has toggled while the field was relevant. This point reveals width faults: a counter that is one bit short, a
/// comparison that ignores the upper bits, a table that is never full.
///
/// A payload is relevant while its event is 1: `x_*` belongs to the event `x_valid` or `x_req`, and `x_y_*` also to the
/// event of `x_y`. A payload without event is relevant while it is not 0. All other fields are always relevant.
template <class Block>
class PortCover {
 public:
  PortCover(Cover& cover, const typename Block::Params& params) : cover_(cover), params_(params) {
    std::vector<std::string_view> names;
    std::vector<Side> sides;
    const auto add = [&](const twin::Port& port, const auto& field, Side side) {
      using Field = std::decay_t<decltype(field)>;
      names.push_back(port.name);
      sides.push_back(side);
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
      Top top;
      if (!twin::detail::has_names<Field> && port.shape.bits > 1) {
        top.point = cover_.add(detail::top_bit_point(port.name));
        top.payload = port.kind == twin::Class::kPayload;
      }
      tops_.push_back(top);
    };
    typename Block::Inputs in;
    typename Block::Outputs out;
    typename Block::Probes probes;
    Block::each_input([&](const twin::Port& port, auto member, auto) { add(port, in.*member, Side::kIn); }, params_);
    Block::each_output([&](const twin::Port& port, auto member, auto) { add(port, out.*member, Side::kOut); }, params_);
    Block::each_probe([&](const twin::Port& port, auto member, auto) { add(port, probes.*member, Side::kProbe); },
                      params_);
    events_.assign(names.size(), 0);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (tops_[i].payload) tops_[i].event = event_of(names, sides, i);
    }
  }

  /// Waives the points of these highest bits; a name that the block does not have is an assertion failure.
  void waive(const std::vector<TopBitWaiver>& waivers) {
    for (const TopBitWaiver& one : waivers) cover_.waive(detail::top_bit_point(one.name), std::string(one.reason));
  }

  /// Samples one cycle.
  void watch(const typename Block::Inputs& in, const typename Block::Outputs& out,
             const typename Block::Probes& probes) {
    std::size_t i = 0;
    const auto see = [this, &i](const twin::Port& port, const auto& field) {
      using Field = std::decay_t<decltype(field)>;
      if constexpr (!twin::is_lanes<Field>) events_[i] = detail::zero(field) ? 0 : 1;
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
    // An input's event may follow its payload in the port list, so highest bits are sampled after all events.
    i = 0;
    const auto see_top = [this, &i](const twin::Port& port, const auto& field) {
      using Field = std::decay_t<decltype(field)>;
      Top& top = tops_[i++];
      if constexpr (!twin::detail::has_names<Field>) {
        if (top.point == kNone || top.toggled) return;
        if (top.payload && (top.event == kNone ? detail::zero(field) : events_[top.event] == 0)) return;
        (detail::top_bit(field, port.shape) ? top.was_one : top.was_zero) = true;
        if (!top.was_one || !top.was_zero) return;
        top.toggled = true;
        cover_.hit(top.point);
      }
    };
    Block::each_input([&](const twin::Port& port, auto member, auto) { see_top(port, in.*member); }, params_);
    Block::each_output([&](const twin::Port& port, auto member, auto) { see_top(port, out.*member); }, params_);
    Block::each_probe([&](const twin::Port& port, auto member, auto) { see_top(port, probes.*member); }, params_);
  }

 private:
  static constexpr unsigned kNone = ~0U;
  enum class Side { kIn, kOut, kProbe };
  /// State of the cover point of a field's highest bit.
  struct Top {
    unsigned point = kNone;
    unsigned event = kNone;  ///< index of the event that makes the payload relevant; kNone: no event
    bool payload = false;
    bool was_zero = false, was_one = false, toggled = false;
  };

  [[nodiscard]] unsigned points() const { return cover_.size(); }
  /// Returns the index of the event of payload `i`, on the same side (inputs, outputs or probes); kNone if there is
  /// none.
  static unsigned event_of(const std::vector<std::string_view>& names, const std::vector<Side>& sides, std::size_t i) {
    for (std::size_t end = names[i].rfind('_'); end != std::string_view::npos;
         end = names[i].substr(0, end).rfind('_')) {
      const std::string stem(names[i].substr(0, end));
      for (std::size_t event = 0; event < names.size(); ++event) {
        if (sides[event] == sides[i] && (names[event] == stem + "_valid" || names[event] == stem + "_req")) {
          return static_cast<unsigned>(event);
        }
      }
    }
    return kNone;
  }

  Cover& cover_;
  typename Block::Params params_;
  std::vector<unsigned> first_;        // first cover point of each field
  std::vector<Top> tops_;              // highest bit of each field
  std::vector<unsigned char> events_;  // for each field: whether it is not 0 in this cycle
};

}  // namespace castor::tb
