#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace castor::workloads::darsie {

/// Energy of one event, and the source of the value.
struct EventEnergy {
  std::string event;  ///< name of the count in a run's figures
  double picojoules = 0;
  bool overhead = false;  ///< whether the event belongs to the block itself
  std::string source;
};

/// Energies of events and the static power, read from sw/workloads/darsie/data/energy.yaml.
struct EnergyTable {
  std::vector<EventEnergy> events;
  double static_watts_per_sm = 0;  ///< static power per SM, including its share of the static power outside the SMs
  double core_mhz = 0;
  std::string static_source;
};

/// Energy of a run in pJ.
struct Energy {
  double dynamic = 0;   ///< energy of all events, overhead included
  double overhead = 0;  ///< energy of the block's own events
  double constant = 0;  ///< static power times run time
  [[nodiscard]] double total() const { return dynamic + constant; }
};

/// Returns the text of the energy table that is compiled in.
[[nodiscard]] const char* energy_text();
/// Parses an energy table. `name`: file name for messages. Throws InputError with the line if a key is missing, unknown
/// or of the wrong type.
[[nodiscard]] EnergyTable read_energy(const std::string& name, const std::string& text);
/// Returns the energy of a run, summed over events. `figure` returns the count of an event in the run, or nothing if
/// the machine does not count the event. Returns nothing if any event has no count, since a partial sum would mislead.
[[nodiscard]] std::optional<Energy> energy_of(const EnergyTable& table,
                                              const std::function<std::optional<double>(const std::string&)>& figure);

}  // namespace castor::workloads::darsie
