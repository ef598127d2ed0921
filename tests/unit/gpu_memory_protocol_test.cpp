// Tests of the checker of the TLM-2.0 base protocol: it finds violations, and the adapter for masters refuses, counts
// and survives such calls. (The example outside_memory shows that the adapters themselves violate no rule.)

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "castor/gpu/memory/base_protocol_adapter.h"
#include "gpu_memory_support.h"
#include "platforms/examples/outside_memory/base_protocol_checker.h"
#include "platforms/examples/outside_memory/outside_models.h"

namespace castor::gpu::gpu_memory_protocol_test {
namespace {

using examples::BaseProtocolChecker;
using examples::ManagedPayload;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Payload = tlm::tlm_generic_payload;

/// A module whose behaviour a test sets.
class Initiator : public sc_core::sc_module, tlm::tlm_bw_transport_if<> {
 public:
  explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") { socket.bind(*this); }
  tlm::tlm_initiator_socket<> socket;
  std::function<tlm::tlm_sync_enum(Payload&, tlm::tlm_phase&)> answer;
  std::vector<tlm::tlm_phase> seen;

  tlm::tlm_sync_enum send(Payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time zero;
    return socket->nb_transport_fw(payload, phase, zero);
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& /*time*/) override {
    seen.push_back(phase);
    return answer ? answer(payload, phase) : tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) override {}
};

class Target : public sc_core::sc_module, tlm::tlm_fw_transport_if<> {
 public:
  explicit Target(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") { socket.bind(*this); }
  tlm::tlm_target_socket<> socket;
  std::function<tlm::tlm_sync_enum(Payload&, tlm::tlm_phase&)> answer;

  tlm::tlm_sync_enum send(Payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time zero;
    return socket->nb_transport_bw(payload, phase, zero);
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& /*time*/) override {
    return answer ? answer(payload, phase) : tlm::TLM_ACCEPTED;
  }
  void b_transport(Payload& /*payload*/, sc_core::sc_time& /*time*/) override {}
  bool get_direct_mem_ptr(Payload& /*payload*/, tlm::tlm_dmi& /*dmi*/) override { return false; }
  unsigned transport_dbg(Payload& /*payload*/) override { return 0; }
};

struct Link {
  explicit Link(const std::string& name)
      : initiator((name + "_initiator").c_str()),
        checker((name + "_checker").c_str()),
        target((name + "_target").c_str()) {
    initiator.socket.bind(checker.from_initiator);
    checker.to_target.bind(target.socket);
  }
  Initiator initiator;
  BaseProtocolChecker checker;
  Target target;
};

/// A master's adapter on a memory system.
struct MasterRig : sc_core::sc_module {
  MasterRig(const sc_core::sc_module_name& name, Store& store)
      : sc_module(name),
        machine(test::memory_machine({}, "tiny")),
        statistics("memory"),
        memory(machine, store, statistics),
        adapter("adapter", machine, store, statistics),
        initiator("initiator") {
    initiator.socket.bind(adapter.socket);
    connect(adapter.memory, memory.input(0));
    address = store.allocate(4096, AllocationKind::kHeap).value();
  }
  Machine machine;
  base::StatisticGroup statistics;
  MemorySystem memory;
  OutsideMasterAdapter adapter;
  Initiator initiator;
  std::uint64_t address = 0;

  /// Writes `bytes` from `address` on. Units tick in every cycle, or only when they are due. Returns the cycle in which
  /// the write is complete.
  Cycle write(unsigned bytes, bool every_cycle) {
    std::vector<unsigned char> data(bytes, 7);
    ManagedPayload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    initiator.answer = [](Payload& /*payload*/, tlm::tlm_phase& phase) {
      return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    };
    initiator.send(payload, tlm::BEGIN_REQ);
    std::vector<Unit*> units = memory.units();
    units.push_back(&adapter);
    Cycle now = 0;
    for (; !adapter.idle() && now < 100000; ++now) {
      for (Unit* const unit : units) {
        if (every_cycle || unit->wake() <= now) unit->tick(now);
      }
    }
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    return now;
  }
};

constexpr int kLinks = 12;

/// Everything is built once: SystemC elaborates once per process.
struct World {
  World() {
    for (int i = 0; i < kLinks; ++i) links.push_back(std::make_unique<Link>("link" + std::to_string(i)));
    master = std::make_unique<MasterRig>("master_rig", store);
    asleep = std::make_unique<MasterRig>("asleep_rig", store);
    awake = std::make_unique<MasterRig>("awake_rig", store);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  Store store{{1 << 20, false}};
  std::vector<std::unique_ptr<Link>> links;
  std::unique_ptr<MasterRig> master, asleep, awake;
};
World& world() {
  static World& built = *new World;
  return built;
}
Link& link(int i) { return *world().links[static_cast<std::size_t>(i)]; }

struct Request : ManagedPayload {
  explicit Request(sc_dt::uint64 address = 0x1000) {
    set_command(tlm::TLM_READ_COMMAND);
    set_address(address);
    set_data_ptr(data);
    set_data_length(sizeof data);
    set_streaming_width(sizeof data);
    set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  unsigned char data[32] = {};
};

TEST(BaseProtocolChecker, AcceptsFourPhasesAndTheirShortForms) {
  Link& l = link(0);
  Request a, b, c;
  l.initiator.send(a, tlm::BEGIN_REQ);
  l.target.send(a, tlm::END_REQ);
  l.initiator.send(b, tlm::BEGIN_REQ);
  a.set_response_status(tlm::TLM_OK_RESPONSE);
  l.target.send(a, tlm::BEGIN_RESP);
  l.initiator.send(a, tlm::END_RESP);
  // A response without END_REQ, answered at once.
  l.initiator.answer = [](Payload& /*payload*/, tlm::tlm_phase& phase) {
    phase = tlm::END_RESP;
    return tlm::TLM_UPDATED;
  };
  b.set_response_status(tlm::TLM_OK_RESPONSE);
  l.target.send(b, tlm::BEGIN_RESP);
  // Completed in the call.
  l.target.answer = [](Payload& payload, tlm::tlm_phase& /*phase*/) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
  };
  l.initiator.send(c, tlm::BEGIN_REQ);
  EXPECT_THAT(l.checker.violations(), IsEmpty());
  EXPECT_EQ(l.checker.completed(), 3U);
  EXPECT_EQ(l.checker.under_way(), 0U);
}

TEST(BaseProtocolChecker, FindsTwoRequestPhasesAtOnce) {
  Link& l = link(1);
  Request a, b;
  l.initiator.send(a, tlm::BEGIN_REQ);
  l.initiator.send(b, tlm::BEGIN_REQ);
  EXPECT_THAT(l.checker.violations(), ElementsAre(StartsWith("request phase opened while another is open")));
}

TEST(BaseProtocolChecker, FindsTwoResponsePhasesAtOnce) {
  Link& l = link(2);
  Request a, b;
  for (Request* request : {&a, &b}) {
    l.initiator.send(*request, tlm::BEGIN_REQ);
    l.target.send(*request, tlm::END_REQ);
    request->set_response_status(tlm::TLM_OK_RESPONSE);
  }
  l.target.send(a, tlm::BEGIN_RESP);
  l.target.send(b, tlm::BEGIN_RESP);
  EXPECT_THAT(l.checker.violations(), ElementsAre(StartsWith("response phase opened while another is open")));
}

TEST(BaseProtocolChecker, FindsAResponseToNothing) {
  Link& l = link(3);
  Request a;
  a.set_response_status(tlm::TLM_OK_RESPONSE);
  l.target.send(a, tlm::BEGIN_RESP);
  EXPECT_THAT(l.checker.violations(), ElementsAre(StartsWith("BEGIN_RESP for a payload that is not under way")));
}

TEST(BaseProtocolChecker, FindsEndReqTwice) {
  Link& l = link(4);
  Request a;
  l.initiator.send(a, tlm::BEGIN_REQ);
  l.target.send(a, tlm::END_REQ);
  l.target.send(a, tlm::END_REQ);
  EXPECT_THAT(l.checker.violations(), ElementsAre(StartsWith("END_REQ twice")));
}

TEST(BaseProtocolChecker, FindsEndRespWithoutResponse) {
  Link& l = link(5);
  Request a;
  l.initiator.send(a, tlm::BEGIN_REQ);
  l.initiator.send(a, tlm::END_RESP);
  EXPECT_THAT(l.checker.violations(), ElementsAre(StartsWith("END_RESP without a response phase")));
}

TEST(BaseProtocolChecker, FindsAnAnswerWithoutStatus) {
  Link& l = link(6);
  Request a;
  l.initiator.send(a, tlm::BEGIN_REQ);
  l.target.send(a, tlm::BEGIN_RESP);
  EXPECT_THAT(l.checker.violations(), ElementsAre(StartsWith("answer without response status")));
}

TEST(BaseProtocolChecker, FindsAttributesThatChange) {
  Link& l = link(7);
  Request a;
  l.initiator.send(a, tlm::BEGIN_REQ);
  a.set_address(0x2000);
  l.target.send(a, tlm::END_REQ);
  EXPECT_THAT(l.checker.violations(), ElementsAre(StartsWith("attributes changed under way")));
}

TEST(BaseProtocolChecker, FindsPayloadsThatAreNotPrepared) {
  Link& l = link(8);
  Request a;
  a.set_data_ptr(nullptr);
  a.set_response_status(tlm::TLM_OK_RESPONSE);
  l.initiator.send(a, tlm::BEGIN_REQ);
  EXPECT_THAT(l.checker.violations(),
              ElementsAre(StartsWith("payload without data pointer"), StartsWith("response status not reset")));
}

TEST(BaseProtocolChecker, FindsPayloadsWithoutManager) {
  Link& l = link(9);
  Payload plain;
  unsigned char data[4] = {};
  plain.set_data_ptr(data);
  plain.set_data_length(4);
  plain.set_streaming_width(4);
  l.initiator.send(plain, tlm::BEGIN_REQ);
  EXPECT_THAT(l.checker.violations(), ElementsAre(StartsWith("payload without memory manager")));
}

TEST(BaseProtocolChecker, FindsUpdatesThatSkipAPhase) {
  Link& l = link(10);
  Request a;
  l.target.answer = [](Payload& /*payload*/, tlm::tlm_phase& phase) {
    phase = tlm::END_RESP;
    return tlm::TLM_UPDATED;
  };
  l.initiator.send(a, tlm::BEGIN_REQ);
  EXPECT_THAT(l.checker.violations(), ElementsAre(StartsWith("BEGIN_REQ updated to a wrong phase"),
                                                  StartsWith("END_RESP without a response phase")));
}

TEST(BaseProtocolChecker, FindsThePhasesOfTheOtherSide) {
  Link& l = link(11);
  Request a;
  l.initiator.send(a, tlm::BEGIN_REQ);
  l.initiator.send(a, tlm::END_REQ);
  EXPECT_THAT(l.checker.violations(), ElementsAre(StartsWith("phase of the target on the forward path")));
}

TEST(OutsideMasterAdapter, CountsViolationsAndAnswersThemWithAnError) {
  MasterRig& m = *world().master;
  Request a(m.address), b(m.address + 128);
  EXPECT_EQ(m.initiator.send(a, tlm::BEGIN_REQ), tlm::TLM_ACCEPTED);
  EXPECT_EQ(m.initiator.send(b, tlm::BEGIN_REQ), tlm::TLM_COMPLETED);
  EXPECT_EQ(b.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(m.adapter.violations(), 1U);
  m.initiator.send(b, tlm::END_RESP);
  EXPECT_EQ(m.adapter.violations(), 2U);
}

TEST(OutsideMasterAdapter, SendsAsSoonAsCreditsSufficeAgain) {
  const Cycle awake = world().awake->write(4096, true);
  EXPECT_LT(awake, 100000U);
  EXPECT_EQ(world().asleep->write(4096, false), awake);
}

TEST(OutsideMasterAdapter, RefusesWhatItCannotServe) {
  MasterRig& m = *world().master;
  const std::uint64_t before = m.adapter.errors();
  unsigned char enables[1] = {0xff};
  Request enabled(m.address), unmapped(0x10), empty(m.address), narrow(m.address), command(m.address),
      across(m.address + 4090);
  enabled.set_byte_enable_ptr(enables);
  enabled.set_byte_enable_length(1);
  empty.set_data_length(0);
  narrow.set_streaming_width(4);
  command.set_command(tlm::TLM_IGNORE_COMMAND);
  const std::vector<std::pair<Request*, tlm::tlm_response_status>> cases = {
      {&enabled, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE}, {&unmapped, tlm::TLM_ADDRESS_ERROR_RESPONSE},
      {&across, tlm::TLM_ADDRESS_ERROR_RESPONSE},      {&empty, tlm::TLM_BURST_ERROR_RESPONSE},
      {&narrow, tlm::TLM_BURST_ERROR_RESPONSE},        {&command, tlm::TLM_COMMAND_ERROR_RESPONSE}};
  for (const auto& [request, status] : cases) {
    sc_core::sc_time zero;
    m.initiator.socket->b_transport(*request, zero);
    EXPECT_EQ(request->get_response_status(), status);
  }
  EXPECT_EQ(m.adapter.errors() - before, cases.size());
}

TEST(OutsideMasterAdapter, DebugTransportReachesTheStore) {
  MasterRig& m = *world().master;
  Request write(m.address + 64), read(m.address + 64), far(0x10);
  write.set_command(tlm::TLM_WRITE_COMMAND);
  for (unsigned i = 0; i < sizeof write.data; ++i) write.data[i] = static_cast<unsigned char>(i + 1);
  EXPECT_EQ(m.initiator.socket->transport_dbg(write), 32U);
  EXPECT_EQ(m.initiator.socket->transport_dbg(read), 32U);
  EXPECT_EQ(std::memcmp(read.data, write.data, 32), 0);
  EXPECT_EQ(m.initiator.socket->transport_dbg(far), 0U);
}

}  // namespace
}  // namespace castor::gpu::gpu_memory_protocol_test
