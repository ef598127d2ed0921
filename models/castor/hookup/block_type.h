#pragma once

#include <memory>
#include <string>
#include <vector>

#include "castor/base/config.h"
#include "castor/base/shared_object.h"
#include "castor/base/statistics.h"
#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/machine.h"
#include "castor/hookup/claims.h"
#include "castor/hookup/settings.h"
#include "castor/twin/rtl_object.h"

namespace castor::hookup {

/// What a block is given to plug itself into a GPU; valid during the call.
struct PlugSite {
  const gpu::Machine& machine;
  const Settings& settings;
  twin::RtlSource& rtl;  ///< for twin_of
};

/// The registration of a block: all that a platform learns of it. One object per block, in its own rooms
/// (models/castor/hookup/<block>/registration.h: castor::<block>::Registration), handed over by the block's model.so.
class BlockType {
 public:
  virtual ~BlockType() = default;

  /// The block's slug, which its keys, folder and messages have.
  [[nodiscard]] virtual const char* name() const = 0;
  /// Keys below `blocks.<name>.`, each with its default; written without that prefix (hookup/keys.h). Every block has
  /// `enable`, `engine` and `wave_depth` besides.
  [[nodiscard]] virtual const std::vector<base::SchemaRow>& keys() const = 0;
  /// What it does to a machine with these settings, and what it wants of it.
  [[nodiscard]] virtual std::vector<Claim> claims(const Settings& settings) const = 0;
  /// Number of the 64 KB register window that it serves; -1 = none. Windows 0 to 15 are those of Castor's own blocks.
  [[nodiscard]] virtual int window() const { return -1; }
  /// Makes its twins and adapters and puts them into `hooks`, which are empty: those of its claims. Returns what owns
  /// them; it outlives the GPU. Errors: InputError for a machine that it cannot work on, illegal parameters, RTL that
  /// cannot be made.
  [[nodiscard]] virtual std::shared_ptr<void> plug(const PlugSite& site, gpu::Hooks& hooks) const = 0;

  /// Where its statistics stand in a report, such as "gpu.sm<k>.issue_policy"; empty = it has none.
  [[nodiscard]] virtual std::string statistics_path() const { return {}; }
  /// Declares them below `parent`, for documents; they live as long as what is returned.
  [[nodiscard]] virtual std::shared_ptr<void> declare_statistics(base::StatisticGroup& /*parent*/) const { return {}; }
};

/// What the function `castor_model_object` of model.so gives.
struct ModelObject {
  base::ObjectHeader header;
  const BlockType* type;
};

}  // namespace castor::hookup
