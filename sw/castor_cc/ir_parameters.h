#pragma once

#include <string>
#include <string_view>

namespace castor::castor_cc {

/// Rewrites structures that functions take or return by value, so that clang's PTX back end can pass them. The back end
/// fails at members that are integers of an odd width (storage of bit fields, such as i56), and at arrays that contain
/// 128-bit integers. In the types of such structures the pass widens odd integers to the next supported width. It
/// replaces each such array by a structure with one member per element. Size, alignment and offsets stay the same. `ir`
/// is unoptimised LLVM IR of version 14 as text. Limits: a structure stays unchanged if `ir` contains constants of its
/// type, or addresses inside variables of its type, or if an array has more than 256 elements.
[[nodiscard]] std::string plain_parameters(std::string_view ir);

}  // namespace castor::castor_cc
