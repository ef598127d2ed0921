// A block by its pins and by its TLM-2.0 register socket. One SystemC elaboration per case.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "castor/twin/make_twin.h"
#include "castor/twin/rtl_builder.h"
#include "castor/twin/stimulus.h"
#include "tests/twin/turnstile/module.h"

int sc_main(int /*argc*/, char** /*argv*/) { return 1; }

namespace castor::twin {
namespace {

using sc_core::sc_signal;
using turnstile::Block;

const sc_core::sc_time kPeriod(10, sc_core::SC_NS);

/// Everything but the register pins as signals.
struct Bench : sc_core::sc_module {
  sc_core::sc_clock clk{"clk", kPeriod, 0.5, kPeriod / 2};
  sc_signal<bool> rst_n{"rst_n"};
  sc_signal<U64> now{"now"};
  sc_signal<sc_dt::sc_bv<128>> req{"req"};
  sc_signal<bool> pick_grant{"pick_grant"}, out_ready{"out_ready"}, pick_valid{"pick_valid"}, out_valid{"out_valid"},
      beat{"beat"};
  sc_core::sc_vector<sc_signal<U8>> weight;
  sc_signal<U8> pick_port{"pick_port"}, out_port{"out_port"}, out_weight{"out_weight"};
  sc_signal<U16> out_stamp{"out_stamp"};
  sc_core::sc_vector<sc_signal<U16>> total;
  turnstile::Module dut;

  explicit Bench(std::unique_ptr<Twin<Block>> twin)
      : sc_core::sc_module(sc_core::sc_module_name("bench")),
        weight("weight", twin->params().NumWays),
        total("total", twin->params().NumWays),
        dut("dut", std::move(twin)) {
    dut.clk_i(clk);
    dut.rst_ni(rst_n);
    dut.now_i(now);
    dut.req_i(req);
    dut.pick_grant_i(pick_grant);
    dut.weight_i(weight);
    dut.out_ready_i(out_ready);
    dut.pick_valid_o(pick_valid);
    dut.pick_port_o(pick_port);
    dut.out_valid_o(out_valid);
    dut.out_port_o(out_port);
    dut.out_weight_o(out_weight);
    dut.out_stamp_o(out_stamp);
    dut.total_o(total);
    dut.beat_o(beat);
  }
};

struct Pinned : Bench {
  sc_signal<bool> reg_req{"reg_req"}, reg_we{"reg_we"}, reg_ack{"reg_ack"};
  sc_signal<U8> reg_err{"reg_err"};
  sc_signal<U16> reg_addr{"reg_addr"};
  sc_signal<U32> reg_wdata{"reg_wdata"}, reg_rdata{"reg_rdata"};
  explicit Pinned(std::unique_ptr<Twin<Block>> twin) : Bench(std::move(twin)) {
    dut.reg_req_i(reg_req);
    dut.reg_we_i(reg_we);
    dut.reg_addr_i(reg_addr);
    dut.reg_wdata_i(reg_wdata);
    dut.reg_ack_o(reg_ack);
    dut.reg_err_o(reg_err);
    dut.reg_rdata_o(reg_rdata);
  }
};

class Module : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::unique_ptr<Twin<Block>> twin() {
    RtlBuilder rtl;
    return make_twin<Block>(parse_kind(GetParam()), {}, rtl);
  }
};

TEST_P(Module, ShowsOverPinsWhatTheEngineSays) {
  Pinned bench(twin());
  const turnstile::Params params;
  turnstile::Engine engine(params);
  RandomSequence<Block> sequence(params, 21, {400, 64, 2, 0, 0});
  bench.rst_n = false;
  sc_core::sc_start(2 * kPeriod);
  bench.rst_n = true;
  turnstile::Inputs in;
  sequence.begin(in);
  for (unsigned cycle = 0; cycle < 3000; ++cycle) {
    make_idle<Block>(in, params);
    advance_time<Block>(in, params, 1);
    sequence.drive(in);
    const turnstile::Outputs expected = engine.settle(in);
    sequence.react(in, expected);
    bench.now = in.now;
    sc_dt::sc_bv<128> req;
    for (int i = 0; i < 128; ++i) req[i] = in.req.test(static_cast<unsigned>(i));
    bench.req = req;
    bench.pick_grant = in.pick_grant != 0;
    bench.out_ready = in.out_ready != 0;
    for (unsigned i = 0; i < params.NumWays; ++i) bench.weight[i] = in.weight[i];
    bench.reg_req = in.reg_req != 0;
    bench.reg_we = in.reg_we != 0;
    bench.reg_addr = in.reg_addr;
    bench.reg_wdata = in.reg_wdata;
    sc_core::sc_start(kPeriod / 4);  // before the edge
    ASSERT_EQ(bench.pick_valid.read(), expected.pick_valid != 0) << cycle;
    ASSERT_EQ(bench.pick_port.read(), expected.pick_port) << cycle;
    ASSERT_EQ(bench.out_valid.read(), expected.out_valid != 0) << cycle;
    ASSERT_EQ(bench.out_port.read(), expected.out_port) << cycle;
    ASSERT_EQ(bench.out_weight.read(), expected.out_weight) << cycle;
    ASSERT_EQ(bench.out_stamp.read(), expected.out_stamp) << cycle;
    for (unsigned i = 0; i < params.NumWays; ++i) ASSERT_EQ(bench.total[i].read(), expected.total[i]) << cycle;
    ASSERT_EQ(bench.beat.read(), expected.beat != 0) << cycle;
    ASSERT_EQ(bench.reg_ack.read(), expected.reg_ack != 0) << cycle;
    ASSERT_EQ(bench.reg_err.read(), expected.reg_err) << cycle;
    ASSERT_EQ(bench.reg_rdata.read(), expected.reg_rdata) << cycle;
    engine.clock(in);
    sc_core::sc_start(kPeriod - kPeriod / 4);
  }
}

TEST_P(Module, TracesAPortOfOneBitAsABit) {
  Pinned bench(twin());
  const std::string path = testing::TempDir() + "castor_pins_" + GetParam();
  sc_core::sc_trace_file* const file = sc_core::sc_create_vcd_trace_file(path.c_str());
  bench.dut.trace_pins(file);
  bench.rst_n = true;
  sc_core::sc_start(2 * kPeriod);
  sc_core::sc_close_vcd_trace_file(file);
  std::ifstream waves(path + ".vcd");
  const std::string text{std::istreambuf_iterator<char>(waves), std::istreambuf_iterator<char>()};
  EXPECT_THAT(text, testing::ContainsRegex("\\$var wire +1 +[^ ]+ +pick_grant +\\$end"));
  EXPECT_THAT(text, testing::ContainsRegex("\\$var wire +8 +[^ ]+ +pick_port "));
}

/// Register accesses from processes.
struct Driver : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Driver> socket{"socket"};
  std::function<void(Driver&)> script;

  Driver(const sc_core::sc_module_name& name, std::function<void(Driver&)> what)
      : sc_core::sc_module(name), script(std::move(what)) {
    using SC_CURRENT_USER_MODULE = Driver;
    SC_THREAD(work);
  }
  void work() { script(*this); }

  static void prepare(tlm::tlm_generic_payload& payload, tlm::tlm_command command, U64 address, unsigned char* data) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }

  tlm::tlm_response_status access(tlm::tlm_command command, U64 address, U32& word,
                                  const std::function<void(tlm::tlm_generic_payload&)>& change = {}) {
    unsigned char data[8] = {};
    std::memcpy(data, &word, 4);
    tlm::tlm_generic_payload payload;
    prepare(payload, command, address, data);
    if (change) change(payload);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    std::memcpy(&word, data, 4);
    return payload.get_response_status();
  }
  U32 read(U64 address) {
    U32 word = 0;
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, address, word), tlm::TLM_OK_RESPONSE);
    return word;
  }
  tlm::tlm_response_status write(U64 address, U32 word) { return access(tlm::TLM_WRITE_COMMAND, address, word); }
  unsigned debug(U64 address, U32& word) {
    unsigned char data[4] = {};
    tlm::tlm_generic_payload payload;
    prepare(payload, tlm::TLM_READ_COMMAND, address, data);
    const unsigned bytes = socket->transport_dbg(payload);
    std::memcpy(&word, data, 4);
    return bytes;
  }
};

struct WithRegisters : Bench {
  turnstile::Registers registers{"registers", dut};
  std::vector<std::unique_ptr<Driver>> drivers;
  WithRegisters(std::unique_ptr<Twin<Block>> twin, const std::vector<std::function<void(Driver&)>>& scripts)
      : Bench(std::move(twin)) {
    registers.clk_i(clk);
    for (const auto& script : scripts) {
      drivers.push_back(std::make_unique<Driver>(("driver" + std::to_string(drivers.size())).c_str(), script));
    }
    if (!drivers.empty()) drivers[0]->socket.bind(registers.socket);
  }
  void start(unsigned cycles) {
    rst_n = false;
    sc_core::sc_start(2 * kPeriod);
    rst_n = true;
    sc_core::sc_start(cycles * kPeriod);
  }
};

TEST_P(Module, AnswersRegisterAccessesAsTlmDemands) {
  bool done = false;
  const auto script = [&done](Driver& driver) {
    sc_core::wait(3 * kPeriod);
    EXPECT_EQ(driver.read(0x0), turnstile::Engine::kId);
    EXPECT_EQ(driver.write(0x4, 77), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(driver.read(0x4), 77U);
    EXPECT_EQ(driver.write(0x4, 0x10000), tlm::TLM_GENERIC_ERROR_RESPONSE);  // refused
    EXPECT_EQ(driver.write(0x0, 1), tlm::TLM_GENERIC_ERROR_RESPONSE);        // read only
    EXPECT_EQ(driver.read(0x4), 77U);
    EXPECT_EQ(driver.write(0x10, 1), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(driver.write(0x10004, 1), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    U32 word = 5;
    EXPECT_EQ(driver.write(0x2, 1), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(driver.access(tlm::TLM_READ_COMMAND, 0x4, word, [](auto& p) { p.set_data_length(8); }),
              tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(driver.access(tlm::TLM_READ_COMMAND, 0x4, word, [](auto& p) { p.set_data_length(2); }),
              tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(driver.access(tlm::TLM_READ_COMMAND, 0x4, word, [](auto& p) { p.set_streaming_width(2); }),
              tlm::TLM_BURST_ERROR_RESPONSE);
    unsigned char enables[4] = {0xFF, 0xFF, 0xFF, 0xFF};
    EXPECT_EQ(driver.access(tlm::TLM_READ_COMMAND, 0x4, word, [&](auto& p) { p.set_byte_enable_ptr(enables); }),
              tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_EQ(driver.access(tlm::TLM_IGNORE_COMMAND, 0x4, word), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(word, 5U);
    // One cycle to the port, one to the answer.
    const sc_core::sc_time before = sc_core::sc_time_stamp();
    driver.read(0x4);
    driver.read(0x4);
    EXPECT_EQ(sc_core::sc_time_stamp() - before, 4 * kPeriod);
    done = true;
  };
  WithRegisters bench(twin(), {script});
  bench.start(200);
  EXPECT_TRUE(done);
}

TEST_P(Module, ShowsADebuggerTheQueueWithoutTakingFromIt) {
  bool done = false;
  WithRegisters* all = nullptr;
  const bool can_look = std::string(GetParam()) != "rtl";
  const auto script = [&](Driver& driver) {
    sc_core::wait(3 * kPeriod);
    sc_dt::sc_bv<128> req;
    req[9] = true;
    all->req = req;
    all->pick_grant = true;
    sc_core::wait(kPeriod);
    all->pick_grant = false;
    sc_core::wait(kPeriod);
    EXPECT_EQ(driver.read(0x8), 1U);
    for (int i = 0; i < 3; ++i) {
      U32 word = 0;
      EXPECT_EQ(driver.debug(0xC, word), can_look ? 4U : 0U);
      if (can_look) {
        EXPECT_EQ(word, 0x80000009U);
      }
      EXPECT_EQ(driver.debug(0x10, word), 0U);
    }
    EXPECT_EQ(driver.read(0x8), 1U);
    EXPECT_EQ(driver.read(0xC), 0x80000009U);
    EXPECT_EQ(driver.read(0x8), 0U);
    done = true;
  };
  WithRegisters bench(twin(), {script});
  all = &bench;
  bench.start(100);
  EXPECT_TRUE(done);
}

INSTANTIATE_TEST_SUITE_P(Twins, Module, testing::Values("model", "rtl", "lockstep"),
                         [](const auto& info) { return std::string(info.param); });

/// RTL that lies in its hundredth cycle.
class Liar final : public Twin<Block> {
 public:
  explicit Liar(const turnstile::Params& params) : Twin<Block>(params), model_(params) {}
  const turnstile::Outputs& settle(const turnstile::Inputs& in) override {
    out_ = model_.settle(in);
    if (cycle_ == 100) out_.beat = 1;
    return out_;
  }
  void clock(const turnstile::Inputs& in) override {
    ++cycle_;
    model_.clock(in);
  }
  void reset() override { model_.reset(); }
  [[nodiscard]] Cycle quiet() const override { return 0; }
  void idle(Cycle n) override { model_.idle(n); }
  [[nodiscard]] turnstile::Probes probes() const override { return model_.probes(); }

 private:
  Model<Block> model_;
  turnstile::Outputs out_;
  unsigned cycle_ = 0;
};

TEST(ModuleInLockstep, ReportsAMismatchAsAnErrorThatStopsTheSimulation) {
  const turnstile::Params params;
  Pinned bench(std::make_unique<Lockstep<Block>>(std::make_unique<Model<Block>>(params), std::make_unique<Liar>(params),
                                                 LockstepOptions{7, {}, {}}));
  bench.rst_n = true;
  try {
    sc_core::sc_start(200 * kPeriod);
    FAIL() << "nothing was reported";
  } catch (const sc_core::sc_report& report) {
    EXPECT_STREQ(report.get_msg_type(), "/castor/twin");
    EXPECT_THAT(report.get_msg(), testing::HasSubstr("differ in cycle 100: beat is 0 in the model and 1 in the RTL"));
  }
}

}  // namespace
}  // namespace castor::twin
