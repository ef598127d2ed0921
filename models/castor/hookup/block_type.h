#pragma once

#include <memory>
#include <string>
#include <vector>

#include "castor/base/config.h"
#include "castor/base/shared_object.h"
#include "castor/base/statistics.h"
#include "castor/gpu/hooks/execution_study.h"
#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/machine.h"
#include "castor/hookup/claims.h"
#include "castor/hookup/settings.h"
#include "castor/isa/sync_op.h"
#include "castor/twin/rtl_object.h"

namespace castor::hookup {

/// Arguments for a block that plugs itself into a GPU; valid during the call of BlockType::plug.
struct PlugSite {
  const gpu::Machine& machine;
  const Settings& settings;
  twin::RtlSource& rtl;  ///< source of RTL objects, for twin_of
};

/// Registration of a block: its keys, claims and the function that plugs it into a GPU. Each block has one object of
/// this class (models/castor/hookup/<block>/registration.h: castor::<block>::Registration) in its model.so.
class BlockType {
 public:
  virtual ~BlockType() = default;

  /// Returns the block's name in keys, folders and messages.
  [[nodiscard]] virtual const char* name() const = 0;
  /// Returns the keys below `blocks.<name>.`, each with its default, written without that prefix (hookup/keys.h). Every
  /// block also has the keys `enable`, `engine` and `wave_depth`.
  [[nodiscard]] virtual const std::vector<base::SchemaRow>& keys() const = 0;
  /// Returns the parts of a machine that the block controls with these settings, and its requirements on the machine.
  [[nodiscard]] virtual std::vector<Claim> claims(const Settings& settings) const = 0;
  /// Returns the number of the 64 KB register window that the block serves; -1 = none. Windows 0 to 15 are reserved for
  /// Castor's own blocks.
  [[nodiscard]] virtual int window() const { return -1; }
  /// Returns the operations of device-wide synchronisation that the block answers. Programs that can reach others are
  /// refused at their launch.
  [[nodiscard]] virtual std::vector<isa::SyncOp> answers() const { return {}; }
  /// Returns the limits of a block that swaps out thread blocks (Claim::kSwapsOutTbs) with these settings. Launches
  /// beyond them are refused.
  [[nodiscard]] virtual gpu::SwapLimits swap_limits(const Settings& /*settings*/) const { return {}; }
  /// Makes the twins and adapters of the block and enters the adapters into `hooks`. `hooks` is empty; the block fills
  /// the hooks of its claims only. Returns the owner of the twins and adapters, which must outlive the GPU. Throws
  /// InputError for a machine on which the block cannot work, for illegal parameters, and for RTL that cannot be built.
  [[nodiscard]] virtual std::shared_ptr<void> plug(const PlugSite& site, gpu::Hooks& hooks) const = 0;
  /// Returns the study of a run of the functional machine for the systems with which the block is compared, or null.
  /// Throws InputError for settings that allow no study.
  [[nodiscard]] virtual std::shared_ptr<gpu::ExecutionStudy> study(const Settings& /*settings*/) const { return {}; }

  /// Returns the place of the block's statistics in a report, such as "gpu.sm<k>.issue_policy"; empty = no statistics.
  [[nodiscard]] virtual std::string statistics_path() const { return {}; }
  /// Declares the block's statistics below `parent`, for documents. They live as long as the returned object.
  [[nodiscard]] virtual std::shared_ptr<void> declare_statistics(base::StatisticGroup& /*parent*/) const { return {}; }
};

/// Struct to which the function `castor_model_object` of model.so returns a pointer.
struct ModelObject {
  base::ObjectHeader header;
  const BlockType* type;
};

}  // namespace castor::hookup
