#pragma once

#include <string>

namespace castor::platforms::cli {

/// Writes <wave without .vcd>.gtkw, a saved view for GTKWave: ports and probes of a block, what the model has beside
/// what the RTL has (coloured), states by their names. A view made by hand (share/castor/waveforms/<block>.gtkw) is
/// taken if the waves have all of its signals. `wave`: VCD of castor cosim, or of a difference, scopes model and rtl.
/// Returns the path. Errors: InputError if the file is no such dump, or the view cannot be written.
std::string write_saved_view(const std::string& wave);

}  // namespace castor::platforms::cli
