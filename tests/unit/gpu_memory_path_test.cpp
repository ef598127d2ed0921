// Memory of the functional machine: spaces, windows, what it refuses, and random accesses against a plain model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "castor/gpu/functional/memory_path.h"
#include "castor/gpu/functional/thread_block.h"

namespace castor::gpu::functional::gpu_memory_path_test {
namespace {

using isa::LaneMask;
using isa::MemoryKind;
using isa::Record;
using isa::Space;
using isa::Type;
using ::testing::HasSubstr;

constexpr isa::OperandIndex kAddress = 0;  // a pair
constexpr isa::OperandIndex kData = 2;     // up to 4 pairs
constexpr isa::OperandIndex kLoaded = 10;  // up to 4 pairs
constexpr isa::OperandIndex kRegisters = 18;
constexpr std::uint32_t kSharedBytes = 200;  // no power of two on purpose
constexpr std::uint32_t kLocalBytes = 68;
constexpr std::uint32_t kParameterBytes = 24;

// One warp with its windows, and global memory of several kinds.
class MemoryPathTest : public testing::TestWithParam<unsigned> {
 protected:
  MemoryPathTest() : lanes_(GetParam()) {
    registers_.assign_zero(std::size_t{kRegisters} * lanes_ * 4);
    shared_.assign_zero(kSharedBytes + 64);
    local_.assign_zero((std::size_t{kLocalBytes} + 3) / 4 * 4 * lanes_);
    heap_ = *store_.allocate(400, AllocationKind::kHeap);
    managed_ = *store_.allocate(256, AllocationKind::kManaged);
    constant_ = *store_.allocate(64, AllocationKind::kConstant, "table");
    store_.set_read_only(constant_, true);
    code_ = *store_.allocate(64, AllocationKind::kCode);
    parameters_ = *store_.allocate(kParameterBytes, AllocationKind::kParameters);
    windows_.shared = shared_.data();
    windows_.shared_bytes = kSharedBytes;
    windows_.local = local_.data();
    windows_.local_bytes = kLocalBytes;
    windows_.parameters = parameters_;
    windows_.parameter_bytes = kParameterBytes;
    view_ = {registers_.data(), nullptr, predicates_.data(), lanes_};
  }

  [[nodiscard]] LaneMask all() const { return lanes_ == 64 ? ~LaneMask{0} : (LaneMask{1} << 32) - 1; }

  static Record record(MemoryKind kind, Space space, Type type, unsigned elements = 1, std::int64_t offset = 0,
                       unsigned address_bits = 64) {
    Record record;
    record.kind = isa::Kind::kMemory;
    record.memory = {};
    record.memory.kind = kind;
    record.memory.space = space;
    record.memory.type = type;
    record.memory.elements = static_cast<std::uint8_t>(elements);
    record.memory.register_bits = isa::bytes(type) == 8 ? 64 : 32;
    record.memory.address_bits = static_cast<std::uint8_t>(address_bits);
    record.imm = static_cast<std::uint64_t>(offset);
    record.src[0] = kAddress;
    if (kind != MemoryKind::kLoad) record.src[1] = kData;
    if (kind == MemoryKind::kLoad || kind == MemoryKind::kAtomic) record.dst = kLoaded;
    return record;
  }

  void set_address(unsigned lane, std::uint64_t address) { put(kAddress, 64, 0, lane, address); }
  void set_addresses(std::uint64_t first, std::uint64_t step) {
    for (unsigned lane = 0; lane < lanes_; ++lane) set_address(lane, first + lane * step);
  }
  void put(isa::OperandIndex reg, unsigned bits, unsigned element, unsigned lane, std::uint64_t value) {
    const std::size_t size = bits / 8;
    std::memcpy(registers_.data() + (reg + element * (size / 4)) * view_.row_bytes() + lane * size, &value, size);
  }
  [[nodiscard]] std::uint64_t get(isa::OperandIndex reg, unsigned bits, unsigned element, unsigned lane) const {
    std::uint64_t value = 0;
    const std::size_t size = bits / 8;
    std::memcpy(&value, registers_.data() + (reg + element * (size / 4)) * view_.row_bytes() + lane * size, size);
    return value;
  }

  std::optional<MemoryFault> run(const Record& record, LaneMask mask) {
    return path_.execute(record, view_, mask, windows_);
  }
  MemoryFault refused(const Record& record, LaneMask mask) {
    const auto fault = run(record, mask);
    EXPECT_TRUE(fault);
    return fault.value_or(MemoryFault{});
  }

  template <class T>
  T host_value(std::uint64_t address) {
    T value;
    std::memcpy(&value, store_.host(address), sizeof value);
    return value;
  }

  unsigned lanes_;
  Store store_{{std::uint64_t{1} << 20, false}};
  MemoryPath path_{store_};
  AlignedBytes registers_, shared_, local_;
  std::array<LaneMask, 8> predicates_{};
  isa::RegisterView view_;
  Windows windows_;
  std::uint64_t heap_ = 0, managed_ = 0, constant_ = 0, code_ = 0, parameters_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Lanes, MemoryPathTest, testing::Values(32U, 64U),
                         [](const auto& info) { return "Lanes" + std::to_string(info.param); });

TEST_P(MemoryPathTest, StoresAndLoadsGlobalMemory) {
  set_addresses(heap_ + 16, 4);
  for (unsigned lane = 0; lane < lanes_; ++lane) put(kData, 32, 0, lane, 1000 + lane);
  ASSERT_FALSE(run(record(MemoryKind::kStore, Space::kGlobal, Type::kU32), all()));
  for (unsigned lane = 0; lane < lanes_; ++lane)
    EXPECT_EQ(host_value<std::uint32_t>(heap_ + 16 + 4 * lane), 1000 + lane);
  ASSERT_FALSE(run(record(MemoryKind::kLoad, Space::kGeneric, Type::kU32), all()));
  for (unsigned lane = 0; lane < lanes_; ++lane) EXPECT_EQ(get(kLoaded, 32, 0, lane), 1000 + lane);
}

TEST_P(MemoryPathTest, LoadsWhatTheLanesBetweenFirstAndLastName) {
  // The first and the last lane are as far apart as those of consecutive elements; two lanes between them are swapped.
  for (const Type type : {Type::kU32, Type::kU64}) {
    const unsigned size = isa::bytes(type);
    const std::uint64_t array = *store_.allocate(std::size_t{lanes_} * size, AllocationKind::kHeap);
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      const std::uint64_t value = 100 + lane;
      std::memcpy(store_.host(array + lane * size), &value, size);
    }
    set_addresses(array, size);
    set_address(1, array + 2 * size);
    set_address(2, array + size);
    ASSERT_FALSE(run(record(MemoryKind::kLoad, Space::kGlobal, type), all()));
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      const unsigned from = lane == 1 ? 2 : lane == 2 ? 1 : lane;
      EXPECT_EQ(get(kLoaded, 8 * size, 0, lane), 100 + from) << "lane " << lane << ", " << size << " bytes";
    }
  }
}

TEST_P(MemoryPathTest, TouchesOnlyLanesOfTheMask) {
  set_addresses(heap_, 4);
  for (unsigned lane = 0; lane < lanes_; ++lane) put(kData, 32, 0, lane, 7);
  // Lanes outside the mask hold addresses that would be refused.
  for (unsigned lane = 1; lane < lanes_; lane += 2) set_address(lane, 3);
  const LaneMask even = all() & 0x5555555555555555u;
  ASSERT_FALSE(run(record(MemoryKind::kStore, Space::kGlobal, Type::kU32), even));
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    EXPECT_EQ(host_value<std::uint32_t>(heap_ + 4 * lane), lane % 2 == 0 ? 7U : 0U);
    put(kLoaded, 32, 0, lane, 99);
  }
  ASSERT_FALSE(run(record(MemoryKind::kLoad, Space::kGlobal, Type::kU32), even));
  for (unsigned lane = 0; lane < lanes_; ++lane) EXPECT_EQ(get(kLoaded, 32, 0, lane), lane % 2 == 0 ? 7U : 99U);
  EXPECT_FALSE(run(record(MemoryKind::kStore, Space::kGlobal, Type::kU32), 0));
}

TEST_P(MemoryPathTest, AddsTheOffset) {
  set_addresses(heap_ + 40, 0);
  put(kData, 32, 0, 0, 5);
  ASSERT_FALSE(run(record(MemoryKind::kStore, Space::kGlobal, Type::kU32, 1, -8), 1));
  EXPECT_EQ(host_value<std::uint32_t>(heap_ + 32), 5U);
  // A 32-bit address wraps at 32 bits.
  put(kAddress, 32, 0, 0, 4);
  put(kData, 32, 0, 0, 6);
  ASSERT_FALSE(run(record(MemoryKind::kStore, Space::kShared, Type::kU32, 1, -4, 32), 1));
  std::uint32_t value = 0;
  std::memcpy(&value, shared_.data(), 4);
  EXPECT_EQ(value, 6U);
}

TEST_P(MemoryPathTest, TakesAddressesThatAreKnownBeforehand) {
  Record load = record(MemoryKind::kLoad, Space::kGlobal, Type::kU32);
  load.src[0] = isa::kNoOperand;
  load.imm = heap_ + 12;
  const std::uint32_t value = 77;
  std::memcpy(store_.host(heap_ + 12), &value, 4);
  ASSERT_FALSE(run(load, all()));
  EXPECT_EQ(get(kLoaded, 32, 0, lanes_ - 1), 77U);
  load.imm = 0;
  EXPECT_EQ(refused(load, all()).kind, FaultKind::kIllegalAddress);
}

TEST_P(MemoryPathTest, HighestLaneWinsOnOneAddress) {
  for (const Type type : {Type::kU8, Type::kU16, Type::kU32, Type::kU64}) {
    set_addresses(heap_ + 64, 0);
    const unsigned bits = isa::bytes(type) == 8 ? 64 : 32;
    for (unsigned lane = 0; lane < lanes_; ++lane) put(kData, bits, 0, lane, 100 + lane);
    ASSERT_FALSE(run(record(MemoryKind::kStore, Space::kGlobal, type), all()));
    EXPECT_EQ(host_value<std::uint8_t>(heap_ + 64), 100 + lanes_ - 1);
    ASSERT_FALSE(run(record(MemoryKind::kStore, Space::kGlobal, type), 0xff));
    EXPECT_EQ(host_value<std::uint8_t>(heap_ + 64), 107U);
  }
}

TEST_P(MemoryPathTest, GenericAddressesReachSharedAndLocalMemory) {
  set_addresses(isa::kSharedWindow + 8, 0);
  put(kData, 32, 0, 3, 0x1234);
  ASSERT_FALSE(run(record(MemoryKind::kStore, Space::kGeneric, Type::kU32), 8));
  std::uint32_t value = 0;
  std::memcpy(&value, shared_.data() + 8, 4);
  EXPECT_EQ(value, 0x1234U);

  set_addresses(isa::kLocalWindow + 12, 0);
  for (unsigned lane = 0; lane < lanes_; ++lane) put(kData, 32, 0, lane, 50 + lane);
  ASSERT_FALSE(run(record(MemoryKind::kStore, Space::kGeneric, Type::kU32), all()));
  set_addresses(12, 0);  // the same location by its offset
  ASSERT_FALSE(run(record(MemoryKind::kLoad, Space::kLocal, Type::kU32), all()));
  for (unsigned lane = 0; lane < lanes_; ++lane) EXPECT_EQ(get(kLoaded, 32, 0, lane), 50 + lane);
}

TEST_P(MemoryPathTest, OneAccessMayTouchSeveralSpaces) {
  set_address(0, heap_);
  set_address(1, isa::kSharedWindow + 4);
  set_address(2, isa::kLocalWindow + 4);
  set_address(3, isa::kHostWindow + managed_);
  for (unsigned lane = 0; lane < 4; ++lane) put(kData, 32, 0, lane, 10 + lane);
  ASSERT_FALSE(run(record(MemoryKind::kStore, Space::kGeneric, Type::kU32), 0xf));
  ASSERT_FALSE(run(record(MemoryKind::kLoad, Space::kGeneric, Type::kU32), 0xf));
  for (unsigned lane = 0; lane < 4; ++lane) EXPECT_EQ(get(kLoaded, 32, 0, lane), 10 + lane);
  EXPECT_EQ(host_value<std::uint32_t>(heap_), 10U);
  EXPECT_EQ(host_value<std::uint32_t>(managed_), 13U);
}

TEST_P(MemoryPathTest, HostWindowHoldsManagedMemoryOnly) {
  set_addresses(isa::kHostWindow + managed_ + 4, 4);
  EXPECT_FALSE(run(record(MemoryKind::kLoad, Space::kGlobal, Type::kU32), 0xf));
  EXPECT_FALSE(run(record(MemoryKind::kLoad, Space::kGeneric, Type::kU32), 0xf));
  set_addresses(managed_ + 4, 4);
  EXPECT_FALSE(run(record(MemoryKind::kLoad, Space::kGlobal, Type::kU32), 0xf));
  set_addresses(isa::kHostWindow + heap_, 4);
  for (const Type type : {Type::kU8, Type::kU32}) {
    const MemoryFault fault = refused(record(MemoryKind::kLoad, Space::kGlobal, type), all());
    EXPECT_EQ(fault.kind, FaultKind::kIllegalAddress);
    EXPECT_EQ(fault.address, isa::kHostWindow + heap_);
    EXPECT_THAT(fault.what, HasSubstr("not managed or pinned memory"));
  }
  set_addresses(0x7ffe'1234'5678, 0);
  EXPECT_THAT(refused(record(MemoryKind::kLoad, Space::kGlobal, Type::kU32), 1).what, HasSubstr("host pointer"));
}

TEST_P(MemoryPathTest, RefusesGenericAddressesInGlobalAccesses) {
  set_addresses(isa::kSharedWindow, 4);
  EXPECT_THAT(refused(record(MemoryKind::kLoad, Space::kGlobal, Type::kU32), 1).what,
              HasSubstr("generic address of shared memory"));
}

TEST_P(MemoryPathTest, RefusesMisalignedAddresses) {
  struct Case {
    Type type;
    unsigned elements, bytes;
  };
  for (const Case& c : {Case{Type::kU16, 1, 2},
                        {Type::kU32, 1, 4},
                        {Type::kF32, 2, 8},
                        {Type::kF32, 4, 16},
                        {Type::kU64, 1, 8},
                        {Type::kF64, 2, 16},
                        {Type::kU8, 4, 4}}) {
    for (const std::uint64_t base : {heap_, isa::kSharedWindow, isa::kLocalWindow}) {
      for (const MemoryKind kind : {MemoryKind::kLoad, MemoryKind::kStore}) {
        set_addresses(base, 0);
        set_address(5, base + c.bytes / 2);
        const MemoryFault fault = refused(record(kind, Space::kGeneric, c.type, c.elements), all());
        EXPECT_EQ(fault.kind, FaultKind::kMisalignedAddress);
        EXPECT_EQ(fault.lane, 5U);
        EXPECT_EQ(fault.address, base + c.bytes / 2);
        EXPECT_THAT(fault.what, HasSubstr("not a multiple of " + std::to_string(c.bytes)));
      }
    }
  }
}

TEST_P(MemoryPathTest, RefusesOneByteTooMany) {
  struct Place {
    Space space;
    std::uint64_t base, bytes;
  };
  const Place places[] = {{Space::kGlobal, heap_, 400},        {Space::kGeneric, heap_, 400},
                          {Space::kShared, 0, kSharedBytes},   {Space::kGeneric, isa::kSharedWindow, kSharedBytes},
                          {Space::kLocal, 0, kLocalBytes},     {Space::kGeneric, isa::kLocalWindow, kLocalBytes},
                          {Space::kParam, 0, kParameterBytes}, {Space::kConst, constant_, 64}};
  struct Size {
    Type type;
    unsigned elements, bytes;
  };
  for (const Place& place : places) {
    for (const Size& size :
         {Size{Type::kU8, 1, 1}, {Type::kU16, 1, 2}, {Type::kU32, 1, 4}, {Type::kU64, 1, 8}, {Type::kU32, 4, 16}}) {
      const std::uint64_t last = (place.bytes - size.bytes) / size.bytes * size.bytes;
      const Record load = record(MemoryKind::kLoad, place.space, size.type, size.elements);
      set_addresses(place.base + last, 0);
      EXPECT_FALSE(run(load, all())) << isa::name(place.space) << size.bytes;
      set_address(9, place.base + last + size.bytes);
      const MemoryFault behind = refused(load, all());
      EXPECT_EQ(behind.kind, FaultKind::kIllegalAddress);
      EXPECT_EQ(behind.lane, 9U);
      EXPECT_EQ(behind.address, place.base + last + size.bytes);
      set_address(9, place.base - size.bytes);
      const MemoryFault before = refused(load, all());
      EXPECT_EQ(before.lane, 9U);
      EXPECT_EQ(before.kind, FaultKind::kIllegalAddress);
    }
  }
}

// Lane addresses at both ends of the 64-bit range: their distance plus the access size is 0 in 64 bits.
TEST_P(MemoryPathTest, DistancesThatWrapAreNoAccess) {
  for (const Space space : {Space::kShared, Space::kLocal, Space::kParam, Space::kGlobal, Space::kGeneric}) {
    for (const Type type : {Type::kU32, Type::kU64}) {
      for (const MemoryKind kind : {MemoryKind::kLoad, MemoryKind::kStore}) {
        if (kind == MemoryKind::kStore && space == Space::kParam) continue;
        set_addresses(0, 0);
        set_address(1, std::uint64_t{0} - isa::bytes(type));
        const MemoryFault fault = refused(record(kind, space, type), 3);
        EXPECT_EQ(fault.kind, FaultKind::kIllegalAddress);
      }
    }
  }
}

TEST_P(MemoryPathTest, RefusesNullAndFreedMemory) {
  set_addresses(0, 4);
  const MemoryFault null = refused(record(MemoryKind::kLoad, Space::kGlobal, Type::kU32), 1);
  EXPECT_EQ(null.kind, FaultKind::kIllegalAddress);
  EXPECT_THAT(null.what, HasSubstr("null pointer"));
  EXPECT_THAT(null.what, HasSubstr("load of 4 bytes at global address 0x0"));
  set_addresses(heap_, 4);
  EXPECT_FALSE(run(record(MemoryKind::kStore, Space::kGlobal, Type::kU32), all()));  // now the allocation is cached
  store_.free(heap_);
  const MemoryFault freed = refused(record(MemoryKind::kStore, Space::kGlobal, Type::kU32), all());
  EXPECT_EQ(freed.kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(freed.lane, 0U);
  EXPECT_THAT(freed.what, HasSubstr("inside a freed 400-byte heap allocation"));
}

TEST_P(MemoryPathTest, RefusesStoresToReadOnlyMemory) {
  const Space spaces[] = {Space::kGlobal, Space::kGeneric};
  for (const Space space : spaces) {
    for (const Type type : {Type::kU8, Type::kU32}) {
      for (const std::uint64_t address : {constant_, code_}) {
        set_addresses(address, 0);
        EXPECT_FALSE(run(record(MemoryKind::kLoad, space, type), all()));
        const MemoryFault fault = refused(record(MemoryKind::kStore, space, type), all());
        EXPECT_EQ(fault.kind, FaultKind::kIllegalAddress);
        EXPECT_THAT(fault.what, HasSubstr("read-only"));
      }
    }
  }
  set_addresses(heap_, 0);
  EXPECT_FALSE(run(record(MemoryKind::kStore, Space::kGlobal, Type::kU32), 1));
  store_.set_read_only(heap_, true);
  EXPECT_TRUE(run(record(MemoryKind::kStore, Space::kGlobal, Type::kU32), 1));
  Record add = record(MemoryKind::kReduction, Space::kGlobal, Type::kU32);
  add.memory.atomic = isa::AtomicOp::kAdd;
  EXPECT_TRUE(run(add, 1));
  set_addresses(4, 0);
  EXPECT_TRUE(run(record(MemoryKind::kStore, Space::kParam, Type::kU32), 1));
}

TEST_P(MemoryPathTest, LanesBelowTheFaultHaveActedLanesAboveHaveNot) {
  set_addresses(heap_, 4);
  set_address(3, 0);
  for (unsigned lane = 0; lane < lanes_; ++lane) put(kData, 32, 0, lane, 1 + lane);
  const MemoryFault fault = refused(record(MemoryKind::kStore, Space::kGlobal, Type::kU32), all());
  EXPECT_EQ(fault.lane, 3U);
  EXPECT_EQ(host_value<std::uint32_t>(heap_ + 8), 3U);
  EXPECT_EQ(host_value<std::uint32_t>(heap_ + 12), 0U);
  EXPECT_EQ(host_value<std::uint32_t>(heap_ + 16), 0U);
}

TEST_P(MemoryPathTest, AtomicsActLaneByLane) {
  for (const std::uint64_t base : {heap_, isa::kSharedWindow + 16}) {
    set_addresses(base, 0);
    for (unsigned lane = 0; lane < lanes_; ++lane) put(kData, 32, 0, lane, 1);
    Record add = record(MemoryKind::kAtomic, Space::kGeneric, Type::kU32);
    add.memory.atomic = isa::AtomicOp::kAdd;
    ASSERT_FALSE(run(add, all()));
    for (unsigned lane = 0; lane < lanes_; ++lane) EXPECT_EQ(get(kLoaded, 32, 0, lane), lane);
  }
  EXPECT_EQ(host_value<std::uint32_t>(heap_), lanes_);
}

TEST_P(MemoryPathTest, LocalMemoryOfEachLaneIsItsOwn) {
  // Write byte by byte, read by 1, 2, 4, 8 and 16 bytes.
  for (unsigned offset = 0; offset < 64; ++offset) {
    set_addresses(offset, 0);
    for (unsigned lane = 0; lane < lanes_; ++lane) put(kData, 32, 0, lane, (lane * 64 + offset) * 37 % 251);
    ASSERT_FALSE(run(record(MemoryKind::kStore, Space::kLocal, Type::kU8), all()));
  }
  const auto expected = [](unsigned lane, unsigned offset, unsigned size) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{(lane * 64 + offset + i) * 37 % 251} << (8 * i);
    return value;
  };
  for (const auto& [type, elements] : {std::pair{Type::kU8, 1U},
                                       {Type::kU16, 1U},
                                       {Type::kU32, 1U},
                                       {Type::kU64, 1U},
                                       {Type::kU8, 4U},
                                       {Type::kU16, 2U},
                                       {Type::kU32, 2U},
                                       {Type::kU32, 4U},
                                       {Type::kU64, 2U},
                                       {Type::kU16, 4U}}) {
    const unsigned size = isa::bytes(type);
    const unsigned bits = size == 8 ? 64 : 32;
    for (unsigned offset = 0; offset + size * elements <= 64; offset += size * elements) {
      // A different offset in every lane.
      for (unsigned lane = 0; lane < lanes_; ++lane) set_address(lane, (offset + lane * 16) % 64);
      ASSERT_FALSE(run(record(MemoryKind::kLoad, Space::kLocal, type, elements), all()));
      for (unsigned lane = 0; lane < lanes_; ++lane) {
        for (unsigned i = 0; i < elements; ++i) {
          ASSERT_EQ(get(kLoaded, bits, i, lane), expected(lane, (offset + lane * 16) % 64 + i * size, size))
              << "lane " << lane << " offset " << offset << " size " << size;
        }
      }
    }
  }
}

TEST_P(MemoryPathTest, ReadsBytesForSystemCalls) {
  std::memcpy(store_.host(heap_), "global", 7);
  std::memcpy(shared_.data() + 3, "shared", 7);
  char text[8] = {};
  EXPECT_TRUE(path_.read(heap_, text, 7, 0, lanes_, windows_));
  EXPECT_STREQ(text, "global");
  EXPECT_TRUE(path_.read(isa::kSharedWindow + 3, text, 7, 0, lanes_, windows_));
  EXPECT_STREQ(text, "shared");
  for (unsigned i = 0; i < 7; ++i) {
    set_addresses(i, 0);
    put(kData, 32, 0, 5, static_cast<unsigned char>("locally"[i]));
    ASSERT_FALSE(run(record(MemoryKind::kStore, Space::kLocal, Type::kU8), 1U << 5));
  }
  EXPECT_TRUE(path_.read(isa::kLocalWindow, text, 7, 5, lanes_, windows_));
  EXPECT_STREQ(text, "locally");
  EXPECT_FALSE(path_.read(heap_ + 396, text, 5, 0, lanes_, windows_));
  EXPECT_FALSE(path_.read(0, text, 1, 0, lanes_, windows_));
}

// Random loads and stores, aligned and not, inside and outside, against a plain model of the same memory.
TEST_P(MemoryPathTest, AgreesWithAPlainModel) {
  std::mt19937 random(lanes_);
  std::vector<std::uint8_t> heap(400), shared(kSharedBytes);
  std::vector<std::array<std::uint8_t, kLocalBytes>> local(lanes_);
  for (auto& bytes : local) bytes.fill(0);

  const auto model_place = [&](unsigned lane, std::uint64_t address, unsigned size) -> std::uint8_t* {
    if (address >= heap_ && address + size <= heap_ + 400 && address + size > address) return &heap[address - heap_];
    if (address >= isa::kSharedWindow && address + size <= isa::kSharedWindow + kSharedBytes) {
      return &shared[address - isa::kSharedWindow];
    }
    if (address >= isa::kLocalWindow && address + size <= isa::kLocalWindow + kLocalBytes) {
      return &local[lane][address - isa::kLocalWindow];
    }
    return nullptr;
  };
  struct Shape {
    Type type;
    unsigned elements;
  };
  const Shape shapes[] = {{Type::kU8, 1},  {Type::kS8, 1},  {Type::kU16, 1}, {Type::kS16, 1},
                          {Type::kU32, 1}, {Type::kU64, 1}, {Type::kF32, 2}, {Type::kU32, 4},
                          {Type::kF64, 2}, {Type::kU16, 4}, {Type::kU8, 2}};
  unsigned faults = 0;
  unsigned successes = 0;
  for (unsigned step = 0; step < 20000; ++step) {
    const Shape shape = shapes[random() % std::size(shapes)];
    const unsigned size = isa::bytes(shape.type);
    const unsigned whole = size * shape.elements;
    const unsigned bits = size == 8 ? 64 : 32;
    const bool store = random() % 2 == 0;
    LaneMask mask = random() % 3 == 0 ? all() : (std::uint64_t{random()} << 32 | random()) & all();
    if (random() % 4 == 0) mask = LaneMask{1} << random() % lanes_;
    const unsigned pattern = random() % 4;
    const std::uint64_t bases[] = {heap_, isa::kSharedWindow, isa::kLocalWindow};
    const std::uint64_t sizes[] = {400, kSharedBytes, kLocalBytes};
    const unsigned which = random() % 3;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      const unsigned here = pattern == 3 ? random() % 3 : which;  // all three spaces mixed
      std::uint64_t offset = random() % (sizes[here] / whole) * whole;
      if (pattern == 1) offset = lane * whole % (sizes[here] / whole * whole);
      if (random() % 2000 == 0) offset += random() % 32 - 16;
      set_address(lane, bases[here] + offset);
      for (unsigned i = 0; i < shape.elements; ++i) {
        put(kData, bits, i, lane, std::uint64_t{random()} << 32 | random());
        put(kLoaded, bits, i, lane, 0x0123456789abcdefu);
      }
    }
    // Expected: lanes in ascending order; the first refused lane ends it.
    std::optional<std::pair<unsigned, FaultKind>> expected_fault;
    std::vector<std::array<std::uint8_t, 16>> loaded(lanes_);
    for (unsigned lane = 0; lane < lanes_ && !expected_fault; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const std::uint64_t address = get(kAddress, 64, 0, lane);
      std::uint8_t* const place = model_place(lane, address, whole);
      if (address % whole != 0) {
        expected_fault = {lane, FaultKind::kMisalignedAddress};
      } else if (place == nullptr) {
        expected_fault = {lane, FaultKind::kIllegalAddress};
      } else {
        for (unsigned i = 0; i < shape.elements; ++i) {
          const std::uint64_t value = get(kData, bits, i, lane);
          for (unsigned byte = 0; byte < size; ++byte) {
            if (store) place[i * size + byte] = static_cast<std::uint8_t>(value >> (8 * byte));
            loaded[lane][i * size + byte] = place[i * size + byte];
          }
        }
      }
    }
    const auto fault =
        run(record(store ? MemoryKind::kStore : MemoryKind::kLoad, Space::kGeneric, shape.type, shape.elements), mask);
    ASSERT_EQ(fault.has_value(), expected_fault.has_value()) << "step " << step;
    if (fault) {
      ++faults;
      ASSERT_EQ(fault->lane, expected_fault->first);
      ASSERT_EQ(fault->kind, expected_fault->second);
      continue;
    }
    ++successes;
    if (store) continue;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      for (unsigned i = 0; i < shape.elements; ++i) {
        const std::uint64_t got = get(kLoaded, bits, i, lane);
        std::uint64_t want = 0x0123456789abcdefu;
        if ((mask >> lane & 1) != 0) {
          want = 0;
          for (unsigned byte = 0; byte < size; ++byte)
            want |= std::uint64_t{loaded[lane][i * size + byte]} << (8 * byte);
          const bool negative = isa::is_signed(shape.type) && (want >> (8 * size - 1) & 1) != 0;
          if (negative) want |= ~std::uint64_t{0} << (8 * size);
        }
        const std::uint64_t kept = bits == 64 ? ~std::uint64_t{0} : 0xffffffffu;
        ASSERT_EQ(got & kept, want & kept) << "step " << step << " lane " << lane << " element " << i;
      }
    }
  }
  EXPECT_GT(faults, 100U);
  EXPECT_GT(successes, 10000U);
  EXPECT_EQ(std::memcmp(store_.host(heap_), heap.data(), heap.size()), 0);
  EXPECT_EQ(std::memcmp(shared_.data(), shared.data(), shared.size()), 0);
}

}  // namespace
}  // namespace castor::gpu::functional::gpu_memory_path_test
