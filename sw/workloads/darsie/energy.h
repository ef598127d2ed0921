#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace castor::workloads::darsie {

/// What one event costs, and who says so.
struct EventEnergy {
  std::string event;  ///< name of a run's figure
  double picojoules = 0;
  bool overhead = false;  ///< of the block itself
  std::string source;
};

/// Energies of events and the static power, of sw/workloads/darsie/data/energy.yaml.
struct EnergyTable {
  std::vector<EventEnergy> events;
  double static_watts_per_sm = 0;  ///< with its share of the rest of the chip
  double core_mhz = 0;
  std::string static_source;
};

/// Energy of a run, pJ.
struct Energy {
  double dynamic = 0;   ///< overhead included
  double overhead = 0;  ///< of the block
  double constant = 0;  ///< static power x time
  [[nodiscard]] double total() const { return dynamic + constant; }
};

/// The text of the table that is built in.
[[nodiscard]] const char* energy_text();
/// Errors: InputError with the line, if a key is missing, unknown or of the wrong kind. `name`: for messages.
[[nodiscard]] EnergyTable read_energy(const std::string& name, const std::string& text);
/// Sum over events. `figure`: count of an event in a run, nothing if the machine does not count it. Nothing if an event
/// has no count: a sum without it would say something else.
[[nodiscard]] std::optional<Energy> energy_of(const EnergyTable& table,
                                              const std::function<std::optional<double>(const std::string&)>& figure);

}  // namespace castor::workloads::darsie
