// Tests of the parts of a session alone: streams and events, and the images of the program.

#include "gpu_support.h"
#include "runtime/api_error.h"
#include "runtime/loaded_modules.h"
#include "runtime/streams.h"

namespace castor::runtime::runtime_session_parts_test {
namespace {

using gpu::test::Rig;
using testing::ElementsAre;
using testing::HasSubstr;

template <class F>
cudaError_t code_of(F action) {
  try {
    action();
  } catch (const ApiError& error) {
    return error.code;
  }
  return cudaSuccess;
}

/// A device that is opened on demand.
class SessionPartsTest : public testing::Test {
 protected:
  DeviceSource source() {
    return [this]() -> gpu::Device& {
      opened_ = true;
      return rig_.device;
    };
  }
  /// Returns work that records a number when it is done.
  gpu::Packet note(int number) {
    return gpu::HostCallPacket{[this, number] { done_.push_back(number); }};
  }
  void run(gpu::Ticket ticket) { EXPECT_EQ(rig_.device.advance_until(ticket), gpu::Outcome::kDone); }
  void run_all(Streams& streams) {
    for (const gpu::Ticket ticket : streams.youngest()) run(ticket);
  }

  Rig rig_;
  bool opened_ = false;
  std::vector<int> done_;
};

using StreamsTest = SessionPartsTest;
using LoadedModulesTest = SessionPartsTest;

TEST_F(StreamsTest, TheLegacyStreamIsThereWithoutADevice) {
  Streams streams(source());
  EXPECT_EQ(&streams.of(nullptr), &streams.of(cudaStreamLegacy));
  EXPECT_FALSE(opened_);
  EXPECT_NE(&streams.of(cudaStreamPerThread), &streams.of(nullptr));
  EXPECT_TRUE(opened_);
}

TEST_F(StreamsTest, TakeTheQueuesInTurnAndAreFoundByTheirHandle) {
  Streams streams(source());
  const unsigned queues = rig_.device.machine().queue.count;
  std::vector<cudaStream_t> handles;
  for (unsigned i = 1; i <= queues + 1; ++i) {
    handles.push_back(streams.create(i == 1 ? cudaStreamNonBlocking : 0, -1));
    EXPECT_EQ(streams.of(handles.back()).queue, i % queues);
  }
  EXPECT_FALSE(streams.of(handles[0]).blocking);
  EXPECT_TRUE(streams.of(handles[1]).blocking);
  EXPECT_EQ(code_of([&] { (void)streams.create(0x80, 0); }), cudaErrorInvalidValue);
  streams.destroy(handles[0]);
  EXPECT_EQ(code_of([&] { (void)streams.of(handles[0]); }), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(code_of([&] { streams.destroy(handles[0]); }), cudaErrorInvalidResourceHandle);
}

TEST_F(StreamsTest, TheLegacyStreamComesBehindBlockingStreamsAndTheyBehindIt) {
  Streams streams(source());
  Stream& first = streams.of(streams.create(0, 0));
  Stream& second = streams.of(streams.create(0, 0));
  streams.submit(first, note(1));
  streams.submit(streams.of(nullptr), note(2));
  run(streams.submit(second, note(3)));
  EXPECT_THAT(done_, ElementsAre(1, 2, 3));
}

TEST_F(StreamsTest, AStreamThatDoesNotBlockGetsNoOrder) {
  Streams streams(source());
  Stream& free = streams.of(streams.create(cudaStreamNonBlocking, 0));
  const gpu::Ticket first = streams.submit(free, note(0));
  const gpu::Ticket before = streams.submit(streams.of(nullptr), note(1));
  EXPECT_EQ(before, first + 1);
  const gpu::Ticket other = streams.submit(free, note(2));
  EXPECT_EQ(other, before + 1);  // no packet between them
  const gpu::Ticket last = streams.submit(streams.of(streams.create(0, 0)), note(3));
  EXPECT_EQ(last, other + 3);  // a record packet and a wait packet
  run_all(streams);
  EXPECT_EQ(done_.size(), 4U);
}

TEST_F(StreamsTest, WaitsForAnEventThatWasRecordedOnly) {
  Streams streams(source());
  Stream& first = streams.of(streams.create(cudaStreamNonBlocking, 0));
  Stream& second = streams.of(streams.create(cudaStreamNonBlocking, 0));
  const cudaEvent_t handle = streams.create_event(0);
  Event& event = streams.event_of(handle);
  streams.wait(second, event);
  EXPECT_EQ(streams.submit(first, note(1)), 1U);  // no packet was submitted for the wait
  streams.record(event, first);
  EXPECT_TRUE(event.recorded);
  EXPECT_EQ(event.count, 1U);
  streams.wait(second, event);
  run(streams.submit(second, note(2)));
  EXPECT_THAT(done_, ElementsAre(1, 2));
  streams.destroy_event(handle);
  EXPECT_EQ(code_of([&] { (void)streams.event_of(handle); }), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(code_of([&] { streams.destroy_event(handle); }), cudaErrorInvalidResourceHandle);
}

TEST_F(StreamsTest, WorkOfADestroyedStreamIsWaitedForOnce) {
  Streams streams(source());
  const cudaStream_t handle = streams.create(cudaStreamNonBlocking, 0);
  const gpu::Ticket ticket = streams.submit(streams.of(handle), note(1));
  streams.destroy(handle);
  EXPECT_THAT(streams.youngest(), ElementsAre(0, ticket));
  EXPECT_THAT(streams.youngest(), ElementsAre(0));
}

TEST_F(StreamsTest, KernelsOfAStreamWithADeadlineAreHeldBackUntilSomethingElseComes) {
  const gpu::ProgramHandle program = rig_.load(".visible .entry k() { ret; }");
  Streams streams(source());
  Stream& stream = streams.of(streams.create_with_deadline(1'000'000));
  gpu::KernelPacket kernel;
  kernel.program = program;
  streams.submit(stream, kernel);
  EXPECT_TRUE(stream.held);
  EXPECT_EQ(stream.last, 0U);
  EXPECT_THAT(streams.youngest(), testing::Contains(testing::Gt(0U)));
  EXPECT_FALSE(stream.held);
  run(stream.last);
}

TEST_F(StreamsTest, AResetForgetsAll) {
  Streams streams(source());
  const cudaStream_t handle = streams.create(0, 0);
  const cudaEvent_t event = streams.create_event(0);
  streams.submit(streams.of(nullptr), note(1));
  streams.forget();
  EXPECT_EQ(streams.of(nullptr).last, 0U);
  EXPECT_EQ(code_of([&] { (void)streams.of(handle); }), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(code_of([&] { (void)streams.event_of(event); }), cudaErrorInvalidResourceHandle);
}

const char* const kImage =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .u32 v;\n.visible .entry k() { ret; }\n";

TEST_F(LoadedModulesTest, NothingIsReadBeforeItIsAskedFor) {
  LoadedModules modules(source());
  Module* const image = modules.add(kImage);
  Module* const second = modules.add("no PTX at all");
  EXPECT_THAT(image->name(), testing::EndsWith(".ptx"));
  EXPECT_THAT(second->name(), testing::EndsWith(".ptx#2"));
  EXPECT_EQ(modules.add("", "mine")->name(), "mine");
  const int stub = 0, shadow = 0, nobody = 0;
  modules.register_function(image, &stub, "k");
  modules.register_variable(image, &shadow, "v");
  EXPECT_FALSE(opened_);
  EXPECT_EQ(code_of([&] { (void)modules.kernel_of(&nobody); }), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(code_of([&] { (void)modules.symbol_of(&stub); }), cudaErrorInvalidSymbol);
  EXPECT_FALSE(opened_);
  LoadedKernel& kernel = modules.kernel_of(&stub);
  EXPECT_TRUE(opened_);
  EXPECT_EQ(&modules.kernel_of(&stub), &kernel);
  EXPECT_TRUE(modules.has_kernel(&kernel));
  EXPECT_EQ(modules.symbol_of(&shadow).size, 4U);
}

TEST_F(LoadedModulesTest, ANameThatTheImageDoesNotHave) {
  LoadedModules modules(source());
  Module* const image = modules.add(kImage);
  const int stub = 0;
  modules.register_function(image, &stub, "other");
  modules.register_variable(image, &stub, "other");
  EXPECT_EQ(code_of([&] { (void)modules.kernel_of(&stub); }), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(code_of([&] { (void)modules.symbol_of(&stub); }), cudaErrorInvalidSymbol);
}

TEST_F(LoadedModulesTest, ALoadersMessageIsPrintedOnce) {
  LoadedModules modules(source());
  const int stub = 0;
  modules.register_function(modules.add("no PTX at all", "bad.ptx"), &stub, "k");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(code_of([&] { (void)modules.kernel_of(&stub); }), cudaErrorInvalidPtx);
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_THAT(printed, HasSubstr("bad.ptx"));
  EXPECT_EQ(printed.find("bad.ptx"), printed.rfind("bad.ptx"));
}

TEST_F(LoadedModulesTest, AModuleThatWasRemovedIsGoneAndOneThatWasUnloadedIsNot) {
  LoadedModules modules(source());
  Module* const image = modules.add(kImage);
  const int shadow = 0;
  modules.register_variable(image, &shadow, "v");
  (void)modules.symbol_of(&shadow);
  const std::uint64_t used = rig_.device.store().used();
  modules.unload(rig_.device);
  EXPECT_LT(rig_.device.store().used(), used);
  EXPECT_TRUE(modules.has(image));
  (void)modules.symbol_of(&shadow);
  EXPECT_EQ(rig_.device.store().used(), used);
  modules.remove(image, &rig_.device);
  EXPECT_LT(rig_.device.store().used(), used);
  EXPECT_FALSE(modules.has(image));
}

}  // namespace
}  // namespace castor::runtime::runtime_session_parts_test
