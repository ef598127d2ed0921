#include "castor/hookup/blocks.h"

#include <map>
#include <mutex>

#include "castor/base/error.h"
#include "castor/base/shared_object.h"
#include "castor/twin/block_object.h"

namespace castor::hookup {
namespace {

template <class T>
void take(T*& into, T* from) {
  if (from == nullptr) return;
  CASTOR_ASSERT(into == nullptr, "two blocks plug into one hook and do not claim it");
  into = from;
}

template <class T>
void take(std::vector<T*>& into, const std::vector<T*>& from) {
  if (from.empty()) return;
  CASTOR_ASSERT(into.empty(), "two blocks plug into one hook and do not claim it");
  into = from;
}

}  // namespace

const BlockType& block_type(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, const BlockType*> known;
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = known.find(name); found != known.end()) return *found->second;
  const std::string path = twin::block_object(twin::find_block(name), "model");
  const base::ObjectHeader& header = base::load_object(path, "castor_model_object", "model", name);
  const BlockType* const type = reinterpret_cast<const ModelObject*>(&header)->type;
  known.emplace(name, type);
  return *type;
}

Blocks::Blocks(const gpu::Machine& machine, const std::vector<ChosenBlock>& chosen, twin::RtlSource& rtl) {
  std::vector<Claimant> claimants;
  claimants.reserve(chosen.size());
  for (const ChosenBlock& block : chosen) {
    claimants.push_back({block.type->name(), block.type->claims(block.settings), block.type->window()});
  }
  check_claims(machine, claimants);
  for (const ChosenBlock& block : chosen) {
    gpu::Hooks hooks;
    owners_.push_back(block.type->plug({machine, block.settings, rtl}, hooks));
    take(hooks_.job_scheduler, hooks.job_scheduler);
    take(hooks_.dispatch, hooks.dispatch);
    take(hooks_.launch, hooks.launch);
    take(hooks_.sources, hooks.sources);
    take(hooks_.fetch_filter, hooks.fetch_filter);
    take(hooks_.issue, hooks.issue);
    take(hooks_.hub, hooks.hub);
    take(hooks_.agents, hooks.agents);
    take(hooks_.swap, hooks.swap);
    hooks_.governors.insert(hooks_.governors.end(), hooks.governors.begin(), hooks.governors.end());
  }
}

}  // namespace castor::hookup
