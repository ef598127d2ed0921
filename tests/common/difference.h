#pragma once

#include <string>

#include "castor/twin/pack.h"

namespace castor::tests {
namespace detail {

template <class Fields, class Each>
std::string difference(const Fields& is, const Fields& expected, Each each) {
  std::string found;
  each([&](const twin::Port& port, auto member, auto) {
    if (is.*member == expected.*member) return;
    found += std::string(port.name) + " is " + twin::value_text(is.*member, port.shape) + ", expected " +
             twin::value_text(expected.*member, port.shape) + "; ";
  });
  return found;
}

}  // namespace detail

/// Returns "NAME is V, expected W; " for each output of a block that differs at these parameters; empty if none does.
template <class Block>
std::string difference(const typename Block::Outputs& is, const typename Block::Outputs& expected,
                       const typename Block::Params& params) {
  return detail::difference(is, expected, [&](auto f) { Block::each_output(f, params); });
}

/// Returns the first difference of probes, empty if there is none.
template <class Block>
std::string difference(const typename Block::Probes& is, const typename Block::Probes& expected,
                       const typename Block::Params& params) {
  return detail::difference(is, expected, [&](auto f) { Block::each_probe(f, params); });
}

}  // namespace castor::tests
