#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/gpu/functional/functional_device.h"
#include "castor/gpu/machine.h"
#include "compiler/compiler.h"
#include "platforms/machines.h"
#include "ptx/parser.h"

// Shared code of the functional machine's tests: a small machine, kernels from PTX text, buffers.
namespace castor::gpu::test {

inline Machine machine(const std::vector<std::string>& overrides = {}, const std::string& name = "tiny") {
  return platforms::load_machine(name, overrides).machine;
}

/// Parameters of one launch, each at its natural alignment.
class Parameters {
 public:
  template <class T>
  Parameters& add(T value) {
    while (bytes_.size() % sizeof(T) != 0) bytes_.push_back(std::byte{0});
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(&bytes_[at], &value, sizeof value);
    return *this;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// A functional device with shorthands to load, launch and access memory. The output of device code is in `printed`.
class Rig {
 public:
  explicit Rig(Machine machine = test::machine(), const std::string& configuration = {},
               std::shared_ptr<ExecutionStudy> study = nullptr)
      : device(machine, {configuration, false, std::move(study)}) {
    device.set_print_sink([this](std::string_view text) { printed += text; });
  }

  /// Loads kernel `kernel` of a PTX text, which gets a header; the text starts at line 4. `symbols`: addresses of its
  /// variables.
  ProgramHandle load(const std::string& text, const std::string& kernel = "k",
                     const std::unordered_map<std::string, std::uint64_t>& symbols = {}) {
    const isa::Module module = ptx::parse(".version 7.0\n.target sm_70\n.address_size 64\n" + text, "test.ptx");
    isa::LinkOptions options;
    options.lanes = device.machine().sm.lanes;
    options.symbols = symbols;
    return device.load(compiler::compile(module, kernel, options));
  }
  /// Loads a kernel with one parameter `out` (u64, in %rd0) and the given body; %r, %rd, %p are declared.
  ProgramHandle load_body(const std::string& body, const std::string& kernel = "k", const std::string& before = {}) {
    return load(before + ".visible .entry " + kernel +
                    "(.param .u64 out)\n{\n.reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<8>;\n"
                    "ld.param.u64 %rd0, [out];\n" +
                    body + "\n}\n",
                kernel);
  }
  Ticket launch(ProgramHandle program, Dim3 grid, Dim3 block, const Parameters& parameters, unsigned queue = 0,
                std::uint32_t shared = 0) {
    KernelPacket packet;
    packet.program = program;
    packet.grid = grid;
    packet.block = block;
    packet.dynamic_shared = shared;
    packet.parameters = parameters.bytes();
    return device.submit(queue, std::move(packet));
  }
  std::uint64_t buffer(std::uint64_t bytes) { return device.store().allocate(bytes, AllocationKind::kHeap).value(); }
  template <class T>
  std::vector<T> values(std::uint64_t address, std::size_t count) {
    std::vector<T> result(count);
    std::memcpy(result.data(), device.store().host(address), count * sizeof(T));
    return result;
  }
  template <class T>
  T value(std::uint64_t address) {
    return values<T>(address, 1)[0];
  }
  template <class T>
  void set(std::uint64_t address, T value) {
    std::memcpy(device.store().host(address), &value, sizeof value);
  }

  std::string printed;
  functional::FunctionalDevice device;
};

}  // namespace castor::gpu::test
