// An external memory and an external master, which use only TLM-2.0, connected to Castor's L2. The memory replaces the
// DRAM channel. The master reads and writes through a crossbar input of its own. A checker of the base protocol
// monitors both links.
//
// Prints a summary. The exit code is 1 if a rule was violated, or if memory, master and L2 disagree about a byte.

#include <cstdio>
#include <cstring>
#include <systemc>
#include <vector>

#include "base_protocol_checker.h"
#include "castor/base/rng.h"
#include "castor/base/time.h"
#include "castor/gpu/memory/base_protocol_adapter.h"
#include "castor/gpu/memory/memory_system.h"
#include "outside_models.h"
#include "platforms/machines.h"

namespace castor::examples {
namespace {

/// Returns a machine with one L2 slice of 16 lines, so that most accesses reach the outside memory.
gpu::Machine small_machine() {
  return platforms::load_machine("tiny", {"l2.slices=1", "dram.channels=1", "l2.sets=4", "l2.ways=4", "l2.bytes=2KiB"})
      .machine;
}

constexpr unsigned kBytes = 64 * 1024;

/// SystemC module that holds L2, the external models and the checkers, clocks them, and generates traffic.
class Board : public sc_core::sc_module {
 public:
  Board(const sc_core::sc_module_name& name, gpu::OutsideMemoryAdapter::Style style)
      : sc_module(name),
        machine(small_machine()),
        store({1 << 20, false}),
        base(store.allocate(kBytes, gpu::AllocationKind::kHeap, "traffic").value()),
        statistics("board"),
        memory(machine, store, statistics, {1, true}),
        to_memory("to_memory", machine, statistics, 1, style),
        memory_checker("memory_checker"),
        outside("outside", base, kBytes, sc_core::sc_time(4, sc_core::SC_NS), sc_core::sc_time(60, sc_core::SC_NS)),
        from_master("from_master", machine, store, statistics),
        master_checker("master_checker"),
        master("master"),
        clock(static_cast<std::uint64_t>(machine.clock.core_mhz * 1000)) {
    connect(memory.slice(0).memory, to_memory.slice(0));
    memory.slice(0).set_memory_keeps_data(true);
    to_memory.socket.bind(memory_checker.from_initiator);
    memory_checker.to_target.bind(outside.socket);
    connect(from_master.memory, memory.input(memory.extra_input(0)));
    master.socket.bind(master_checker.from_initiator);
    master_checker.to_target.bind(from_master.socket);
    units = memory.units();
    units.push_back(&to_memory);
    units.push_back(&from_master);
    // run_cycle() sleeps while no unit has work; a response or request of an external model wakes it.
    to_memory.on_wake = from_master.on_wake = [this](gpu::Cycle) { woken.notify(sc_core::SC_ZERO_TIME); };
    using SC_CURRENT_USER_MODULE = Board;
    SC_METHOD(run_cycle);
    SC_THREAD(traffic);
  }

  gpu::Machine machine;
  gpu::Store store;
  std::uint64_t base;
  castor::base::StatisticGroup statistics;
  gpu::MemorySystem memory;
  gpu::OutsideMemoryAdapter to_memory;
  BaseProtocolChecker memory_checker;
  OutsideMemory outside;
  gpu::OutsideMasterAdapter from_master;
  BaseProtocolChecker master_checker;
  OutsideMaster master;
  castor::base::Clock clock;
  std::vector<gpu::Unit*> units;
  sc_core::sc_event woken;
  unsigned wrong = 0, refused = 0;
  bool finished = false;

 private:
  /// Executes the current cycle, then sleeps until the next cycle in which a unit has work.
  void run_cycle() {
    const gpu::Cycle now = clock.first_at_or_after(picoseconds());
    if (clock.time_of(now) == picoseconds() && (!ran_ || now > last_)) {
      for (gpu::Unit* unit : units) {
        if (unit->wake() <= now) unit->tick(now);
      }
      ran_ = true;
      last_ = now;
    }
    gpu::Cycle next = gpu::kForever;
    for (const gpu::Unit* unit : units) next = std::min(next, unit->wake());
    if (next == gpu::kForever) {
      next_trigger(woken);
    } else {
      next = std::max(next, clock.first_at_or_after(picoseconds() + 1));
      next_trigger(sc_core::sc_time(static_cast<double>(clock.time_of(next) - picoseconds()), sc_core::SC_PS), woken);
    }
  }
  [[nodiscard]] static castor::base::Picoseconds picoseconds() {
    return static_cast<castor::base::Picoseconds>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS) + 0.5);
  }

  /// Executes random writes and reads, and compares the results with a copy of the memory.
  void traffic() {
    std::vector<unsigned char> copy(kBytes), buffer(600);
    castor::base::Xoshiro256 rng(1);
    for (unsigned i = 0; i < 3000; ++i) {
      const auto length = static_cast<unsigned>(1 + rng.below(rng.below(4) == 0 ? 600 : 64));
      const auto at = static_cast<unsigned>(rng.below(kBytes - length));
      const bool blocking = rng.below(3) == 0;
      if (rng.below(2) == 0) {
        for (unsigned b = 0; b < length; ++b) copy[at + b] = buffer[b] = static_cast<unsigned char>(rng());
        expect(master.transfer(tlm::TLM_WRITE_COMMAND, base + at, buffer.data(), length, blocking),
               tlm::TLM_OK_RESPONSE);
      } else {
        expect(master.transfer(tlm::TLM_READ_COMMAND, base + at, buffer.data(), length, blocking),
               tlm::TLM_OK_RESPONSE);
        if (std::memcmp(buffer.data(), &copy[at], length) != 0) ++wrong;
      }
    }
    // Illegal requests: each must be answered with the matching error response.
    for (const bool blocking : {false, true}) {
      unsigned char enables[4] = {0xff, 0, 0xff, 0xff};
      expect(master.transfer(tlm::TLM_READ_COMMAND, base, buffer.data(), 4, blocking, enables),
             tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
      expect(master.transfer(tlm::TLM_READ_COMMAND, base + kBytes, buffer.data(), 4, blocking),
             tlm::TLM_ADDRESS_ERROR_RESPONSE);
      expect(master.transfer(tlm::TLM_READ_COMMAND, 0x1000, buffer.data(), 4, blocking),
             tlm::TLM_ADDRESS_ERROR_RESPONSE);
      expect(master.transfer(tlm::TLM_WRITE_COMMAND, base, buffer.data(), 5000, blocking),
             tlm::TLM_BURST_ERROR_RESPONSE);
      expect(master.transfer(tlm::TLM_IGNORE_COMMAND, base, buffer.data(), 4, blocking),
             tlm::TLM_COMMAND_ERROR_RESPONSE);
      refused += 5;
    }
    // Writes all dirty lines back, so that the external memory holds all data that was written.
    memory.flush(clock.first_at_or_after(picoseconds() + 1));
    woken.notify(sc_core::SC_ZERO_TIME);
    wait(sc_core::sc_time(200, sc_core::SC_US));
    if (std::memcmp(outside.bytes.data(), copy.data(), kBytes) != 0) ++wrong;
    if (std::memcmp(store.host(base), copy.data(), kBytes) != 0) ++wrong;
    finished = true;
  }
  void expect(tlm::tlm_response_status is, tlm::tlm_response_status should) {
    if (is != should) ++wrong;
  }

  bool ran_ = false;
  gpu::Cycle last_ = 0;
};

unsigned print(const char* link, const BaseProtocolChecker& checker) {
  std::printf("%s: %lu transactions, %zu violations of the base protocol\n", link, checker.completed(),
              checker.violations().size());
  for (const std::string& violation : checker.violations()) std::printf("  %s\n", violation.c_str());
  return static_cast<unsigned>(checker.violations().size() + checker.under_way());
}

}  // namespace
}  // namespace castor::examples

// The argument "blocking" selects blocking transport to the memory.
int sc_main(int argc, char** argv) {
  using castor::gpu::OutsideMemoryAdapter;
  const bool blocking = argc > 1 && std::strcmp(argv[1], "blocking") == 0;
  castor::examples::Board board(
      "board", blocking ? OutsideMemoryAdapter::Style::kBlocking : OutsideMemoryAdapter::Style::kNonBlocking);
  sc_core::sc_start();
  unsigned bad = castor::examples::print("memory", board.memory_checker);
  bad += castor::examples::print("master", board.master_checker);
  const castor::base::Statistic* const differs = board.statistics.find("slice0.l2_fill_differs");
  std::printf(
      "wrong answers: %u, fills that differ: %llu, refused requests: %llu of %u, violations seen by the adapters: "
      "%llu\n",
      board.wrong, static_cast<unsigned long long>(differs->integer()),
      static_cast<unsigned long long>(board.from_master.errors()), board.refused,
      static_cast<unsigned long long>(board.to_memory.violations() + board.from_master.violations()));
  bad += board.wrong + static_cast<unsigned>(differs->integer() + board.to_memory.violations() +
                                             board.from_master.violations() + board.to_memory.errors());
  if (board.from_master.errors() != board.refused || !board.finished || !board.memory.idle()) ++bad;
  std::puts(bad == 0 ? "ok" : "FAILED");
  return bad == 0 ? 0 : 1;
}
