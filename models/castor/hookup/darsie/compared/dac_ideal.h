#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/launch_record.h"
#include "castor/hookup/darsie/compared/affine_instances.h"
#include "castor/hookup/darsie/compared/compared_system.h"

namespace castor::hookup {

/// Statistics of the ideal affine stream of one SM.
struct DacStatistics {
  explicit DacStatistics(base::StatisticGroup& parent) : group(parent, "dac_ideal") {}

  base::StatisticGroup group;
  base::Counter leads{group, {"leads", "", "affine instructions that a warp executed for its thread block"}};
  base::Counter ghosts{group, {"ghosts", "", "affine instructions that a warp did not have to execute"}};
  base::Counter ghost_loads{group, {"ghost_loads", "", "loads that a warp did not have to execute"}};
  base::Counter refused{group, {"refused", "", "loads whose address differed from the leader's"}};
  base::Counter squashes{group,
                         {"squashes", "", "affine instructions that were fetched together with others and squashed"}};
};

/// DAC-IDEAL (Yeh 2020, sections 7.6, 7.7.1): decoupled affine computation without cost, for one SM.
///
/// A run of the functional machine has recorded which instances of which TB are affine (AffineStudy). The first warp of
/// the TB that decodes an affine instance executes it. Every other warp completes the instance as a ghost when it
/// reaches the PC and the operands are ready: without a fetch, any number per tick. Each warp gets the values that it
/// would compute itself. A load gets the data of the leader's load as soon as they arrive; it is executed normally if
/// its address differs from the leader's. Results do not depend on the file, as long as threads of a block do not race.
///
/// Allocates memory when a TB of a larger program starts. Throws InputError for a launch that is not in the file.
class DacIdeal final : public ComparedSystem {
 public:
  /// `loads`: whether loads with a uniform address count as affine.
  DacIdeal(std::shared_ptr<const AffineInstances> instances, bool loads)
      : instances_(std::move(instances)), loads_(loads) {}

  using ComparedSystem::attach;
  void attach(const gpu::HookSite& site) override;
  [[nodiscard]] unsigned rows() const override { return kRows; }
  void reset() override;
  void start(unsigned context, const gpu::KernelContext& kernel) override { tbs_[context].kernel = &kernel; }
  const gpu::FetchOut& settle(const gpu::FetchIn& in) override;
  gpu::WarpMask act(gpu::WarpMask eligible) override;
  bool issue(const gpu::StudyIssue& issue) override;
  void clock(const gpu::FetchIn& in) override;

 private:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  /// A load that one warp executes for all warps of its TB.
  struct Load {
    std::uint32_t pc = 0, occurrence = 0;
    gpu::WarpMask passed = 0;          ///< warps that have executed or skipped the load
    std::uint64_t address = kNowhere;  ///< address from which the leader loads for all lanes; kNowhere: there is none
    std::uint8_t results = 0, tag[2] = {};
  };
  struct Tb {
    const gpu::KernelContext* kernel = nullptr;
    const AffineSet* set = nullptr;  ///< affine instances of the TB; null: none
    const isa::Record* code = nullptr;
    std::uint64_t code_base = 0;
    gpu::WarpMask live = 0;
    std::uint16_t base = 0;
    std::vector<std::uint32_t> led;  ///< [record] number of occurrences that at least one warp has decoded
    std::vector<Load> loads;
    std::bitset<kRows> used, unwritten;
  };
  struct Warp {
    std::uint8_t tb = 0;
    std::vector<std::uint32_t> done;  ///< [record] number of times that the warp has decoded or skipped the record
  };
  enum class Next : std::uint8_t {
    kExecute,  ///< executes the instruction normally
    kLead,     ///< affine, and no other warp has decoded the instance yet
    kGhost,
    kWait,  ///< waits for the data of the leader's load
  };

  void detach_statistics() override { statistics_.reset(); }
  [[nodiscard]] std::uint32_t record_at(unsigned w, std::uint64_t pc) const {
    return static_cast<std::uint32_t>((pc - tbs_[warps_[w].tb].code_base) / 8);
  }
  [[nodiscard]] static bool is_load(const Tb& tb, std::uint32_t pc) { return tb.code[pc].kind == isa::Kind::kMemory; }
  [[nodiscard]] const Load* find(const Tb& tb, std::uint32_t pc, std::uint32_t occurrence) const;
  [[nodiscard]] Next next(unsigned w, std::uint32_t pc) const;
  [[nodiscard]] std::uint64_t address_of(unsigned w, isa::LaneMask mask);
  [[nodiscard]] bool pass_ghosts(unsigned w);
  [[nodiscard]] bool take_load(unsigned w, std::uint32_t pc);
  void judge(const gpu::DecodeGroup& group);
  void begin(const gpu::TbStartEvent& event);
  void take_decoded(const gpu::DecodeGroup& group);
  void pass(Tb& tb, unsigned w, std::uint32_t pc);
  static void drop_finished(Tb& tb);

  const std::shared_ptr<const AffineInstances> instances_;
  const bool loads_;
  std::array<Tb, 64> tbs_;
  std::array<Warp, 64> warps_;
  gpu::WarpMask own_ = 0;  ///< warps whose next load is from another address than the leader's: they execute it
  isa::Access access_{};
  bool acted_ = false;  ///< a warp has completed or refused a ghost in this tick
  gpu::FetchOut out_;
  std::unique_ptr<DacStatistics> statistics_;
};

}  // namespace castor::hookup
