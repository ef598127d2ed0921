// Affine instances that a study of the functional machine finds (key blocks.darsie.affine), read back from the file.

#include "castor/hookup/darsie/compared/affine_study.h"

#include <unistd.h>

#include <filesystem>

#include "castor/base/error.h"
#include "castor/hookup/darsie/compared/affine_instances.h"
#include "unit/gpu_support.h"

namespace castor::hookup::darsie_affine_study_test {
namespace {

using namespace gpu;

// The immediates distinguish the records.
const char* const kBody = R"(
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r12, %tid.z;
  mad.lo.u32 %r3, %r1, 0x65, %r2;
  mad.lo.u32 %r3, %r12, 0x66, %r3;
  mad.lo.u32 %r6, %r3, 0x67, 9;
  mul.lo.u32 %r4, %r3, %r3;
  shr.u32 %r5, %r6, 1;
  mul.wide.u32 %rd1, %r1, 0x6b;
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd0;
  ld.global.u32 %r7, [%rd0+0x6d0];
  ld.global.u32 %r8, [%rd2+0x6f0];
  mov.u32 %r9, 0;
again:
  add.u32 %r9, %r9, 0x71;
  setp.lt.u32 %p0, %r9, 0x120;
  @%p0 bra again;
  setp.lt.u32 %p1, %r1, 3;
  @%p1 add.u32 %r9, %r9, 0x73;
  @!%p1 bra over;
  add.u32 %r10, %r1, 0x79;
over:
  ret;)";

class Probed {
 public:
  explicit Probed(const Dim3& block) {
    {
      test::Rig rig(test::machine(), {}, std::make_shared<AffineStudy>(file_));
      const ProgramHandle handle = rig.load_body(kBody);
      ticket_ = rig.launch(handle, {3}, block, test::Parameters().add(rig.buffer(4096)));
      EXPECT_EQ(rig.device.advance_until(ticket_), Outcome::kDone);
      program_ = rig.device.program(handle);
    }
    instances_ = read_affine_instances(file_);
    std::filesystem::remove(file_);
  }
  [[nodiscard]] const AffineSet& set(std::uint64_t tb = 0) const { return *instances_.at(ticket_).of(tb); }
  /// Occurrence of the one record whose disassembly contains `text`.
  [[nodiscard]] bool affine(const std::string& text, std::uint64_t occurrence = 0) const {
    std::uint32_t found = 0, count = 0;
    for (std::uint32_t pc = 0; pc < program_.spellings.size(); ++pc) {
      if (program_.spellings[pc].find(text) == std::string::npos) continue;
      found = pc;
      ++count;
    }
    EXPECT_EQ(count, 1U) << text;
    return set().has(found, occurrence);
  }
  [[nodiscard]] std::size_t records() const {
    std::size_t count = 0;
    for (const auto& each : set().occurrences) count += each.empty() ? 0 : 1;
    return count;
  }

 private:
  const std::string file_ =
      (std::filesystem::temp_directory_path() / ("affine_probe" + std::to_string(::getpid()))).string();
  isa::Program program_;
  AffineInstances instances_;
  Ticket ticket_ = 0;
};

// Blocks whose rows of threads are parts of a warp, warps, and neither; in two and three dimensions.
TEST(AffineProbe, FindsWhatIsAffineInTheThreadIndex) {
  for (const Dim3 block : {Dim3{16, 8, 1}, Dim3{32, 4, 1}, Dim3{48, 2, 1}, Dim3{64, 1, 1}, Dim3{4, 4, 4},
                           Dim3{16, 3, 4}, Dim3{32, 2, 2}, Dim3{96, 1, 2}, Dim3{8, 1, 8}}) {
    SCOPED_TRACE(std::to_string(block.x) + " x " + std::to_string(block.y) + " x " + std::to_string(block.z));
    const Probed run(block);
    EXPECT_TRUE(run.affine("%tid.x") && run.affine("%tid.y") && run.affine("%tid.z"));
    EXPECT_TRUE(run.affine("0x65") && run.affine("0x66") && run.affine("0x67"));
    EXPECT_TRUE(run.affine("0x6b")) << "64 bits";
    EXPECT_FALSE(run.affine("mul.lo.u32")) << "a square";
    EXPECT_FALSE(run.affine("shr.u32"));
    EXPECT_TRUE(run.affine("0x6d0")) << "a load from one address";
    EXPECT_FALSE(run.affine("0x6f0"));
    EXPECT_TRUE(run.affine("0x71", 0) && run.affine("0x71", 1) && run.affine("0x71", 2));
    EXPECT_FALSE(run.affine("0x71", 3)) << "the loop has three rounds";
    EXPECT_FALSE(run.affine("0x73")) << "a guard";
    EXPECT_FALSE(run.affine("0x79")) << "some lanes";
    EXPECT_EQ(run.set(0).occurrences.size(), run.set(2).occurrences.size());
  }
}

TEST(AffineProbe, ABlockWithAPartialWarpHasNoInstances) { EXPECT_EQ(Probed({16, 5, 1}).records(), 0U); }

TEST(AffineProbe, AFileThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(AffineStudy("/nonexistent/file"), base::InputError);
}

}  // namespace
}  // namespace castor::hookup::darsie_affine_study_test
