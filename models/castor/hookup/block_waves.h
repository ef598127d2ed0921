#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "castor/gpu/hooks/waves.h"
#include "castor/twin/block.h"
#include "castor/twin/pack.h"

namespace castor::hookup {

/// Ports and probes of a block, from which the waves of a machine are sampled.
template <class Block>
struct ShownPorts {
  typename Block::Inputs in;
  typename Block::Outputs out;
  typename Block::Probes probes;
};

/// Adds one port or probe as a signal; `field` must not move in memory. A type of more than 64 bits becomes several
/// signals of 64 bits with numbered names (`pe_vec0`, `pe_vec1`); word i is bits 64 i + 63 .. 64 i of the packed port.
template <class T>
void add_port_wave(gpu::Waves& waves, const std::string& instance, const twin::Port& port, const T& field) {
  const std::string name(port.name);
  const unsigned width = port.shape.width();
  if constexpr (std::is_integral_v<T>) {
    waves.add(instance, name, width, &field);
  } else if constexpr (twin::kMaxWords<T> == 1) {
    waves.add(
        instance, name, width, [&field, shape = port.shape] { return twin::pack(field, shape)[0]; },
        twin::value_names(field));
  } else {
    for (unsigned word = 0; 64 * word < width; ++word) {
      waves.add(instance, name + std::to_string(word), std::min(width - 64 * word, 64U),
                [&field, shape = port.shape, word] { return twin::pack(field, shape)[word]; });
    }
  }
}

/// Adds all probes, inputs and outputs of a block as signals of `instance`. Time inputs, and probes that change in idle
/// cycles (twin::runs), are left out, because they would change in every sample.
template <class Block>
void add_block_waves(gpu::Waves& waves, const std::string& instance, const ShownPorts<Block>& shown,
                     const typename Block::Params& params) {
  Block::each_probe(
      [&](const twin::Port& port, auto member, auto) {
        if (!twin::runs<Block>(port.name)) add_port_wave(waves, instance, port, shown.probes.*member);
      },
      params);
  Block::each_input(
      [&](const twin::Port& port, auto member, auto) {
        if (port.kind != twin::Class::kTime) add_port_wave(waves, instance, port, shown.in.*member);
      },
      params);
  Block::each_output(
      [&](const twin::Port& port, auto member, auto) { add_port_wave(waves, instance, port, shown.out.*member); },
      params);
}

}  // namespace castor::hookup
