#pragma once

#include <string>

namespace castor::platforms::cli {

/// Writes <wave without .vcd>.gtkw, a saved view for GTKWave. The view shows ports and probes of a block, with the
/// signals of model and RTL side by side (in different colours), and states by name. A hand-made view
/// (share/castor/waveforms/<block>.gtkw) is used instead if the dump has all of its signals. `wave`: VCD file of castor
/// cosim or of a lockstep mismatch, with scopes model and rtl. Returns the path of the view. Throws InputError if the
/// file is not such a dump, or if the view cannot be written.
std::string write_saved_view(const std::string& wave);

}  // namespace castor::platforms::cli
