// Tests of images on a device: variables are placed and initialised, constants are read-only, kernels are compiled on
// demand.

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/occupancy.h"
#include "gpu_support.h"
#include "runtime/module.h"

namespace castor::runtime::runtime_module_test {
namespace {

using gpu::Allocation;
using gpu::AllocationKind;
using gpu::test::Parameters;
using gpu::test::Rig;
using ::testing::HasSubstr;

const char* const kHeader = ".version 7.0\n.target sm_70\n.address_size 64\n";

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

class ModuleTest : public testing::Test {
 protected:
  Module module(const std::string& text) { return {"image.ptx", kHeader + text}; }
  template <class T>
  T value(const DeviceSymbol* symbol, std::uint64_t offset = 0) {
    EXPECT_NE(symbol, nullptr);
    return symbol == nullptr ? T{} : rig_.value<T>(symbol->address + offset);
  }

  Rig rig_;
  gpu::Device& device_ = rig_.device;
};

TEST_F(ModuleTest, PlacesAndInitialisesVariables) {
  Module image = module(R"(
.visible .global .align 4 .u32 number = 77;
.visible .global .align 8 .b8 bytes[5] = {1, 2, 255};
.visible .const .align 4 .f32 factors[2] = {0f3F800000, 0fC0000000};
.visible .global .align 64 .b8 aligned[3];
.visible .shared .align 4 .b8 window[64];
)");
  const DeviceSymbol* const number = image.symbol(device_, "number");
  EXPECT_EQ(value<std::uint32_t>(number), 77U);
  EXPECT_EQ(number->size, 4U);
  const DeviceSymbol* const bytes = image.symbol(device_, "bytes");
  EXPECT_EQ(bytes->size, 5U);
  EXPECT_EQ(rig_.values<std::uint8_t>(bytes->address, 5), (std::vector<std::uint8_t>{1, 2, 255, 0, 0}));
  EXPECT_EQ(value<float>(image.symbol(device_, "factors")), 1.0F);
  EXPECT_EQ(value<float>(image.symbol(device_, "factors"), 4), -2.0F);
  EXPECT_EQ(image.symbol(device_, "aligned")->address % 64, 0U);
  EXPECT_EQ(image.symbol(device_, "window"), nullptr);  // shared memory belongs to blocks
  EXPECT_EQ(image.symbol(device_, "nobody"), nullptr);
}

TEST_F(ModuleTest, ConstantsAreReadOnlyForDeviceCode) {
  Module image = module(".visible .const .align 4 .u32 fixed = 1;\n.visible .global .align 4 .u32 free = 2;\n");
  const Allocation* const fixed = device_.store().find(image.symbol(device_, "fixed")->address);
  const Allocation* const free = device_.store().find(image.symbol(device_, "free")->address);
  ASSERT_TRUE(fixed && free);
  EXPECT_EQ(fixed->kind, AllocationKind::kConstant);
  EXPECT_TRUE(fixed->read_only);
  EXPECT_EQ(fixed->label, "fixed");
  EXPECT_FALSE(free->read_only);
}

TEST_F(ModuleTest, InitialisersHoldAddresses) {
  Module image = module(R"(
.visible .global .align 4 .u32 cells[4] = {10, 11, 12, 13};
.visible .global .align 8 .u64 pointer = cells;
.visible .global .align 8 .u64 inside = cells+8;
.visible .global .align 8 .u64 generic_pointer = generic(cells)+4;
)");
  const std::uint64_t cells = image.symbol(device_, "cells")->address;
  EXPECT_EQ(value<std::uint64_t>(image.symbol(device_, "pointer")), cells);
  EXPECT_EQ(value<std::uint64_t>(image.symbol(device_, "inside")), cells + 8);
  EXPECT_EQ(value<std::uint64_t>(image.symbol(device_, "generic_pointer")), cells + 4);
}

TEST_F(ModuleTest, CompilesKernelsWhenAskedFor) {
  Module image = module(R"(
.visible .global .align 4 .u32 counter = 5;
.visible .entry bump(.param .u64 out)
{
  .reg .b32 %r<2>; .reg .b64 %rd;
  ld.global.u32 %r0, [counter]; add.u32 %r0, %r0, 1; st.global.u32 [counter], %r0;
  ld.param.u64 %rd, [out]; st.global.u32 [%rd], %r0;
  ret;
}
.func helper() { ret; }
)");
  EXPECT_EQ(image.kernel(device_, "nobody"), nullptr);
  EXPECT_EQ(image.kernel(device_, "helper"), nullptr);  // no kernel
  EXPECT_EQ(image.kernel(device_, "counter"), nullptr);
  LoadedKernel* const bump = image.kernel(device_, "bump");
  ASSERT_NE(bump, nullptr);
  EXPECT_EQ(image.kernel(device_, "bump"), bump);
  EXPECT_TRUE(image.owns(bump));
  EXPECT_EQ(image.kernels(device_), (std::vector<std::string>{"bump"}));
  const std::uint64_t out = rig_.buffer(4);
  for (std::uint32_t expected : {6U, 7U}) {
    EXPECT_EQ(device_.advance_until(rig_.launch(bump->handle, {}, {}, Parameters().add(out))), gpu::Outcome::kDone);
    EXPECT_EQ(rig_.value<std::uint32_t>(out), expected);
  }
  EXPECT_EQ(value<std::uint32_t>(image.symbol(device_, "counter")), 7U);
}

// Returns a kernel that launches `child` with its own argument as the first word of the buffer, and stores what the
// call returned.
std::string launching(const std::string& name, const std::string& child) {
  return ".visible .entry " + name + R"((.param .u64 out)
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out];
  { .param .b64 a; st.param.b64 [a+0], 8; .param .b64 b; st.param.b64 [b+0], 8; .param .b64 r;
    call.uni (r), cudaGetParameterBuffer, (a, b);
    ld.param.b64 %rd2, [r+0]; }
  st.u64 [%rd2], %rd1;
  mov.u64 %rd3, )" +
         child + R"(;
  { .param .b64 k; st.param.b64 [k+0], %rd3; .param .b64 p; st.param.b64 [p+0], %rd2;
    .param .align 4 .b8 g[12]; st.param.b32 [g+0], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    .param .align 4 .b8 b[12]; st.param.b32 [b+0], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
    .param .b32 s; st.param.b32 [s+0], 0; .param .b64 q; st.param.b64 [q+0], 0; .param .b32 r;
    call.uni (r), cudaLaunchDevice, (k, p, g, b, s, q);
    ld.param.b32 %r1, [r+0]; }
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
}
const char* const kRuntime = R"(
.extern .func (.param .b64 r) cudaGetParameterBuffer (.param .b64 a, .param .b64 b);
.extern .func (.param .b32 r) cudaLaunchDevice (.param .b64 a, .param .b64 b, .param .align 4 .b8 c[12],
  .param .align 4 .b8 d[12], .param .b32 e, .param .b64 f);
)";
const char* const kLeaf = R"(
.visible .entry leaf(.param .u64 out) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [out]; st.global.u32 [%rd1+4], 7; ret; }
)";

TEST_F(ModuleTest, LoadsAllThatAKernelCouldLaunchInCircles) {
  Module image = module(std::string(kRuntime) + kLeaf + launching("one", "two") + launching("two", "one") +
                        ".visible .entry never() { ret; }\n.global .align 8 .u64 kept = leaf;\n");
  const LoadedKernel* const one = image.kernel(device_, "one");
  ASSERT_NE(one, nullptr);
  EXPECT_THAT(one->program->named_kernels, testing::UnorderedElementsAre("two", "leaf"));
  EXPECT_EQ(image.kernel(device_, "two")->handle, one->handle + 2) << "has been compiled with it, behind leaf";
}

TEST_F(ModuleTest, LaunchesThroughTheValueOfAnotherModuleAreRefused) {
  Module other = module(kLeaf);
  ASSERT_NE(other.kernel(device_, "leaf"), nullptr);
  Module image = module(std::string(kRuntime) + kLeaf + launching("parent", "leaf"));
  const LoadedProgram parent = *image.kernel(device_, "parent");
  const std::uint64_t out = rig_.buffer(8);
  const auto run = [&](gpu::ProgramHandle program) {
    rig_.device.advance_until(rig_.launch(program, {}, {}, Parameters().add(out)));
    return std::make_pair(rig_.value<std::uint32_t>(out), rig_.value<std::uint32_t>(out + 4));
  };
  EXPECT_EQ(run(parent.handle), std::make_pair(0U, 7U));
  // The same code, declared to belong to no module that has the value.
  const auto foreign = std::make_shared<isa::Program>(*parent.program);
  foreign->code_values += 4096;
  rig_.device.store().host(out)[4] = std::byte{0};
  EXPECT_EQ(run(device_.load(foreign)), std::make_pair(1U, 0U));
  image.unload(device_);
  EXPECT_EQ(run(parent.handle).first, 1U) << "no value is left of it";
}

TEST_F(ModuleTest, AKernelThatCouldLaunchOneThatFailsFailsWithIt) {
  Module image = module(std::string(kRuntime) + ".visible .entry leaf(.param .u64 out) { .reg .b64 %rd<2>;\n" +
                        "mov.u64 %rd1, nobody; ret; }\n" + launching("parent", "leaf"));
  for (int i = 0; i < 2; ++i) EXPECT_THAT(error_of([&] { image.kernel(device_, "parent"); }), HasSubstr("nobody"));
}

TEST_F(ModuleTest, UnloadGivesItsMemoryBackAndLoadsAfresh) {
  const std::uint64_t used = device_.store().used();
  Module image = module(".visible .global .align 4 .u32 counter = 5;\n.visible .entry k() { ret; }\n");
  LoadedKernel* const kernel = image.kernel(device_, "k");
  rig_.set<std::uint32_t>(image.symbol(device_, "counter")->address, 9);
  const std::uint64_t before = image.symbol(device_, "counter")->address;
  image.unload(device_);
  EXPECT_EQ(device_.store().used(), used);
  EXPECT_FALSE(image.owns(kernel));
  EXPECT_EQ(value<std::uint32_t>(image.symbol(device_, "counter")), 5U);
  EXPECT_NE(image.symbol(device_, "counter")->address, before);
  EXPECT_NE(image.kernel(device_, "k"), nullptr);
}

TEST_F(ModuleTest, SaysTheSameErrorAgain) {
  Module image = module(".visible .entry k()\n{\n  frobnicate.u32 %r1, 5;\n}\n");
  const std::string first = error_of([&] { image.load(device_); });
  EXPECT_THAT(first, HasSubstr("image.ptx:6:3"));
  EXPECT_THAT(first, HasSubstr("frobnicate"));
  EXPECT_EQ(error_of([&] { (void)image.kernel(device_, "k"); }), first);
  EXPECT_EQ(error_of([&] { (void)image.symbol(device_, "x"); }), first);
}

TEST_F(ModuleTest, RefusesInitialisersOfUnknownSymbols) {
  Module image = module(".extern .global .align 4 .u32 elsewhere;\n.visible .global .align 8 .u64 p = elsewhere;\n");
  EXPECT_THAT(error_of([&] { image.load(device_); }), HasSubstr("elsewhere"));
}

TEST_F(ModuleTest, SaysWhenVariablesDoNotFit) {
  Module image = module(
      ".visible .global .align 4 .b8 little[4];\n.visible .global .align 4 .b8 huge[2000000000];\n");  // tiny has 256
                                                                                                       // MB
  EXPECT_THAT(error_of([&] { image.load(device_); }), HasSubstr("no device memory left for 'huge'"));
  EXPECT_EQ(device_.store().used(), 0U);
}

/// A kernel that holds `count` words at a time. `bounds`: directives between its parameters and its body.
std::string holding(int count, const std::string& bounds = {}) {
  std::string body;
  for (int i = 0; i < count; ++i)
    body += "ld.global.u32 %v" + std::to_string(i) + ", [%rd+" + std::to_string(4 * i) + "];\n";
  for (int i = 0; i < count; ++i)
    body += "st.global.u32 [%rd+" + std::to_string(4 * i) + "], %v" + std::to_string(count - 1 - i) + ";\n";
  return ".visible .entry k(.param .u64 p)\n" + bounds +
         "{\n.reg .b32 %v<200>; .reg .b64 %rd;\nld.param.u64 %rd, [p];\n" + body + "ret;\n}\n";
}

TEST_F(ModuleTest, HonoursTheRegisterCap) {
  Module free = module(holding(60));
  const std::uint32_t registers = free.kernel(device_, "k")->program->registers;
  EXPECT_GE(registers, 62U);
  Module::set_register_cap(24);
  Module capped = module(holding(60));
  const LoadedKernel& kernel = *capped.kernel(device_, "k");
  Module::set_register_cap(0);
  EXPECT_LE(kernel.program->registers, 24U);
  EXPECT_GT(kernel.program->spill_bytes, 0U);
  EXPECT_TRUE(kernel.bounded);
}

TEST_F(ModuleTest, CompilesAgainForBlocksThatDoNotFit) {
  const unsigned most = device_.machine().sm.max_tb_threads;
  const unsigned cap = gpu::registers_for(device_.machine(), most, 1);
  ASSERT_EQ(cap, 128U);
  Module image = module(holding(140));
  LoadedKernel& kernel = *image.kernel(device_, "k");
  const LoadedProgram whole = kernel;
  const unsigned small = device_.machine().sm.lanes;
  EXPECT_EQ(image.program_for(device_, kernel, small).program, whole.program);
  const LoadedProgram narrow = image.program_for(device_, kernel, most);
  EXPECT_LE(narrow.program->registers, cap);
  EXPECT_GT(narrow.program->spill_bytes, 0U);
  EXPECT_NE(narrow.handle, whole.handle);
  EXPECT_EQ(kernel.program, whole.program) << "a question changes nothing";

  testing::internal::CaptureStderr();
  image.fit(device_, kernel, small);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  image.fit(device_, kernel, most);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("launch of k: " + std::to_string(most) + " threads of " +
                              std::to_string(whole.program->registers) + " registers do not fit; compiled again with " +
                              std::to_string(narrow.program->registers) + " registers, " +
                              std::to_string(narrow.program->spill_bytes) + " bytes of spills"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
  EXPECT_EQ(kernel.program, narrow.program);
  EXPECT_EQ(kernel.handle, narrow.handle);
  testing::internal::CaptureStderr();
  image.fit(device_, kernel, most);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(ModuleTest, BoundedKernelsAreNotCompiledAgain) {
  const unsigned most = device_.machine().sm.max_tb_threads;
  for (const char* bounds : {".maxnreg 150\n", ".maxntid 64, 1, 1\n", ".reqntid 64, 1, 1\n"}) {
    Module image = module(holding(140, bounds));
    LoadedKernel& kernel = *image.kernel(device_, "k");
    EXPECT_GE(kernel.program->registers, 142U) << bounds;
    EXPECT_EQ(image.program_for(device_, kernel, most).program, kernel.program) << bounds;
  }
}

}  // namespace
}  // namespace castor::runtime::runtime_module_test
