// The laxity engine in a SystemC design: pins, a TLM-2.0 initiator on its registers, and one job that is submitted.
//
//   block_by_pins [model | rtl | lockstep]
//
// The design and its output are the same for all three engines.

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <systemc>
#include <utility>

#include "castor/lax/module.h"
#include "castor/twin/make_twin.h"
#include "castor/twin/rtl_builder.h"

namespace {

using castor::lax::Block;
using Twin = castor::twin::Twin<Block>;

const sc_core::sc_time kPeriod(1, sc_core::SC_NS);

/// Test bench: drives the engine's pins and registers, submits a job and prints the verdict.
SC_MODULE(Host) {
  sc_core::sc_clock clk{"clk", kPeriod};
  sc_core::sc_signal<bool> rst_n{"rst_n"};
  castor::lax::Signals pins;
  castor::lax::Module engine;
  castor::lax::Registers registers{"registers", engine};
  tlm_utils::simple_initiator_socket<Host> bus{"bus"};
  std::uint64_t cycle = 0;

  Host(const sc_core::sc_module_name& name, std::unique_ptr<Twin> twin)
      : sc_core::sc_module(name), engine("engine", std::move(twin)) {
    engine.clk_i(clk);
    engine.rst_ni(rst_n);
    castor::twin::bind_pins<Block>(engine, pins, "reg_");
    registers.clk_i(clk);
    bus.bind(registers.socket);
    SC_HAS_PROCESS(Host);
    SC_THREAD(work);
    sensitive << clk.posedge_event();
    SC_METHOD(count);
    sensitive << clk.posedge_event();
    dont_initialize();
  }

  void count() { pins.now_i = ++cycle; }

  void access(tlm::tlm_command command, std::uint64_t address, std::uint32_t & word) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(sizeof word);
    payload.set_streaming_width(sizeof word);
    sc_core::sc_time delay;
    bus->b_transport(payload, delay);
    if (payload.is_response_error()) SC_REPORT_ERROR("host", payload.get_response_string().c_str());
  }

  /// Waits for a clock edge at which `ready` was 1 before the edge, that is until the engine has accepted the beat.
  void transfer(const sc_core::sc_signal<bool>& ready) {
    while (!ready.read()) wait();
    wait();
  }

  void work() {
    rst_n = false;
    wait(3);
    rst_n = true;
    wait();
    std::uint32_t word = 0;
    access(tlm::TLM_READ_COMMAND, 0x0000, word);
    std::printf("ID 0x%08X\n", word);
    access(tlm::TLM_READ_COMMAND, 0x0008, word);
    word |= 1;  // ENABLE
    access(tlm::TLM_WRITE_COMMAND, 0x0008, word);
    wait();

    // One job of one kernel: 10 TBs of kernel type 2, due in 100 000 cycles.
    pins.adm_ready_i = false;
    pins.js_qid_i = 5;
    pins.js_deadline_i = 100'000;
    pins.js_start_i = cycle;
    pins.js_nkt_i = 1;
    pins.js_valid_i = true;
    wait();
    transfer(pins.js_ready_o);
    const std::uint64_t taken = cycle - 1;  // the cycle that ended with this edge
    pins.js_valid_i = false;
    pins.wl_kid_i = 2;
    pins.wl_numwg_i = 10;
    pins.wl_last_i = true;
    pins.wl_valid_i = true;
    transfer(pins.wl_ready_o);
    pins.wl_valid_i = false;
    while (!pins.adm_valid_o.read()) wait();
    std::printf("verdict on queue %u after %llu cycles: %s\n", pins.adm_qid_o.read(),
                static_cast<unsigned long long>(cycle - 1 - taken), pins.adm_accept_o.read() ? "accepted" : "refused");
    access(tlm::TLM_READ_COMMAND, 0x0800 + 4 * 5, word);
    std::printf("state of queue 5: %u\n", word & 7U);
  }
};

}  // namespace

int sc_main(int argc, char** argv) {
  try {
    const castor::twin::Kind kind = castor::twin::parse_kind(argc > 1 ? argv[1] : "lockstep");
    castor::twin::RtlBuilder rtl;
    Host host("host", castor::twin::make_twin<Block>(kind, castor::lax::Params{}, rtl));
    sc_core::sc_start(kPeriod * 10'000);
    return 0;
  } catch (const castor::base::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
