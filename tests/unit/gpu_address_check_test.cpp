// Tests of the accesses outside allocations that memory.check allows, and of their messages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "castor/gpu/address_check.h"

namespace castor::gpu::gpu_address_check_test {
namespace {

using isa::MemoryKind;
using isa::Space;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kPiece = Store::kMappedPiece;

class Outside : public ::testing::Test {
 protected:
  Outside() : store_({16 * kPiece, false, true}) {
    heap_ = *store_.allocate(100, AllocationKind::kHeap);
    constant_ = *store_.allocate(64, AllocationKind::kConstant, "table");
    store_.set_read_only(constant_, true);
    far_ = *store_.allocate(64, AllocationKind::kManaged, {}, 4 * kPiece);
    code_ = *store_.allocate(64, AllocationKind::kCode);
    local_ = *store_.allocate(64, AllocationKind::kLocal);
  }
  /// Returns the memory checks, out of `page` and `off`, that allow an access: "page off", "off" or "".
  [[nodiscard]] std::string allowed(Space space, std::uint64_t address, std::uint32_t size, bool write) const {
    EXPECT_TRUE(AddressCheck(store_).outside(space, address, size, write).refused());
    std::string result;
    for (const auto& [check, word] : {std::pair{MemoryCheck::kPage, "page"}, std::pair{MemoryCheck::kOff, "off"}}) {
      const Region region = AddressCheck(store_, check).outside(space, address, size, write);
      if (region.refused()) continue;
      EXPECT_TRUE(region.holds(address, size));
      EXPECT_EQ(region.size, size);
      result += (result.empty() ? "" : " ") + std::string(word);
    }
    return result;
  }

  Store store_;
  std::uint64_t heap_ = 0, constant_ = 0, far_ = 0, code_ = 0, local_ = 0;
};

TEST_F(Outside, LoadsAreAllowedInMappedPiecesOrAnywhereInMemory) {
  EXPECT_EQ(allowed(Space::kGlobal, heap_ + 100, 4, false), "page off");
  EXPECT_EQ(allowed(Space::kGlobal, heap_ + 96, 16, false), "page off") << "across the end";
  EXPECT_EQ(allowed(Space::kGeneric, heap_ + kPiece - 4, 4, false), "page off");
  EXPECT_EQ(allowed(Space::kGlobal, heap_ + kPiece, 4, false), "off");
  EXPECT_EQ(allowed(Space::kConst, constant_ + 64, 4, false), "page off");
  EXPECT_EQ(allowed(Space::kGlobal, far_ - 4, 4, false), "off");
  EXPECT_EQ(allowed(Space::kGlobal, local_, 4, false), "off") << "the machine's own";
  EXPECT_EQ(allowed(Space::kGlobal, 0, 4, false), "");
  EXPECT_EQ(allowed(Space::kGlobal, Store::kBase - 4, 4, false), "");
  EXPECT_EQ(allowed(Space::kGlobal, Store::kBase + 16 * kPiece, 4, false), "");
  // Accesses by host addresses next to managed memory.
  EXPECT_EQ(allowed(Space::kGlobal, isa::kHostWindow + far_ + 64, 4, false), "page off");
  EXPECT_EQ(allowed(Space::kGlobal, isa::kHostWindow + heap_ + 100, 4, false), "off");
}

TEST_F(Outside, StoresAreAllowedWithOffButNotToWhatIsReadOnly) {
  EXPECT_EQ(allowed(Space::kGlobal, heap_ + 100, 4, true), "off");
  EXPECT_EQ(allowed(Space::kGlobal, constant_, 4, true), "");
  EXPECT_EQ(allowed(Space::kGlobal, code_, 4, true), "");
  EXPECT_EQ(allowed(Space::kGlobal, local_, 4, true), "");
  EXPECT_EQ(allowed(Space::kConst, constant_ + 64, 4, true), "");
}

TEST_F(Outside, WindowsAreNoGlobalMemory) {
  for (const std::uint64_t window : {isa::kSharedWindow, isa::kLocalWindow}) {
    for (const Space space : {Space::kGlobal, Space::kGeneric}) EXPECT_EQ(allowed(space, window, 4, false), "");
  }
  for (const Space space : {Space::kShared, Space::kLocal, Space::kParam})
    EXPECT_EQ(allowed(space, heap_ + 100, 4, false), "");
}

TEST_F(Outside, MessagesNameTheValueThatWouldAllowTheAccess) {
  const auto says = [this](MemoryCheck check, MemoryKind kind, std::uint64_t address) {
    isa::MemoryOp op{};
    op.kind = kind;
    op.space = Space::kGlobal;
    return AddressCheck(store_, check).explain(op, 4, address, FaultKind::kIllegalAddress, {});
  };
  EXPECT_THAT(says(MemoryCheck::kAllocation, MemoryKind::kLoad, heap_ + 100),
              EndsWith("0 bytes behind the end of a 100-byte heap allocation at 0x100000000; memory.check page would "
                       "allow it"));
  EXPECT_THAT(says(MemoryCheck::kAllocation, MemoryKind::kStore, heap_ + 100), EndsWith("; memory.check off would "
                                                                                        "allow it"));
  EXPECT_THAT(says(MemoryCheck::kPage, MemoryKind::kLoad, heap_ + kPiece), EndsWith("; memory.check off would allow "
                                                                                    "it"));
  EXPECT_THAT(says(MemoryCheck::kAllocation, MemoryKind::kLoad, 0), Not(HasSubstr("memory.check")));
  EXPECT_THAT(says(MemoryCheck::kAllocation, MemoryKind::kStore, constant_), Not(HasSubstr("memory.check")));
  isa::MemoryOp op{};
  op.kind = MemoryKind::kLoad;
  op.space = Space::kGlobal;
  EXPECT_EQ(AddressCheck(store_, MemoryCheck::kPage).tell(op, 4, heap_ + 100),
            "load of 4 bytes at global address 0x100000064: 0 bytes behind the end of a 100-byte heap allocation at "
            "0x100000000");
}

}  // namespace
}  // namespace castor::gpu::gpu_address_check_test
