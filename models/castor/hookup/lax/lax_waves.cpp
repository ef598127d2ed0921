// What waves of a GPU show of the laxity engine.

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "castor/gpu/hooks/waves.h"
#include "castor/hookup/lax/lax_adapter.h"

namespace castor::hookup {
namespace {

// Counts in every cycle.
bool runs(std::string_view name) {
  return name == "now" || name == "update_timer" || name == "prema_timer" || name == "group" || name == "rest";
}

template <class T>
void add(gpu::Waves& waves, const std::string& scope, const twin::Port& port, const T& field) {
  if (runs(port.name)) return;
  const std::string name(port.name);
  const unsigned width = port.shape.width();
  if constexpr (twin::is_bits<T>) {
    for (unsigned word = 0; 64 * word < width; ++word) {
      waves.add(scope, name + std::to_string(word), std::min(width - 64 * word, 64U),
                [&field, word] { return field.word(word); });
    }
  } else if constexpr (std::is_enum_v<T>) {
    waves.add(scope, name, width, [&field] { return static_cast<std::uint64_t>(field); });
  } else {
    waves.add(scope, name, width, &field);
  }
}

}  // namespace

void LaxAdapter::add_waves(gpu::Waves& waves, const std::string& scope) {
  const std::string name = scope + "." + lax::Block::kBlock;
  if (!waves.traced(name)) return;
  shown_ = std::make_unique<Shown>();
  const lax::Params& params = twin_->params();
  lax::Block::each_probe(
      [&](const twin::Port& port, auto member, auto) { add(waves, name, port, shown_->probes.*member); }, params);
  lax::Block::each_input([&](const twin::Port& port, auto member, auto) { add(waves, name, port, shown_->in.*member); },
                         params);
  lax::Block::each_output(
      [&](const twin::Port& port, auto member, auto) { add(waves, name, port, shown_->out.*member); }, params);
}

}  // namespace castor::hookup
