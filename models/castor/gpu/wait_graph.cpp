#include "castor/gpu/wait_graph.h"

#include <algorithm>

#include "castor/base/words.h"

namespace castor::gpu {

std::size_t WaitGraph::node(const std::string& name) {
  const auto [found, fresh] = index_.emplace(name, nodes_.size());
  if (fresh) nodes_.push_back({name, {}});
  return found->second;
}

void WaitGraph::add(const std::string& waiter, const std::string& other) {
  const std::size_t from = node(waiter);
  const std::size_t to = node(other);
  nodes_[from].others.push_back(to);
}

void WaitGraph::speaks(const std::string& hook, const std::string& block) {
  speaker_ = hook + (block.empty() ? std::string() : " (block " + block + ")");
}

void WaitGraph::say(const std::string& text) { said_ += speaker_ + ": " + text + "\n"; }

std::string WaitGraph::kernel(unsigned entry) const {
  const auto found = kernels_.find(entry);
  return found != kernels_.end() ? found->second : "entry " + std::to_string(entry);
}

std::vector<std::string> WaitGraph::cycle() const {
  enum class Mark : std::uint8_t { kNew, kOpen, kDone };
  std::vector<Mark> marks(nodes_.size(), Mark::kNew);
  struct Step {
    std::size_t node, next;
  };
  for (std::size_t start = 0; start < nodes_.size(); ++start) {
    if (marks[start] != Mark::kNew) continue;
    std::vector<Step> path{{start, 0}};
    marks[start] = Mark::kOpen;
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next == nodes_[step.node].others.size()) {
        marks[step.node] = Mark::kDone;
        path.pop_back();
        continue;
      }
      const std::size_t other = nodes_[step.node].others[step.next++];
      if (marks[other] == Mark::kNew) {
        marks[other] = Mark::kOpen;
        path.push_back({other, 0});
      } else if (marks[other] == Mark::kOpen) {
        std::vector<std::string> result;
        const auto first =
            std::find_if(path.begin(), path.end(), [other](const Step& one) { return one.node == other; });
        for (auto at = first; at != path.end(); ++at) result.push_back(nodes_[at->node].name);
        result.push_back(nodes_[other].name);
        return result;
      }
    }
  }
  return {};
}

std::string WaitGraph::cycle_text() const {
  std::string text;
  for (const std::string& name : cycle()) text += (text.empty() ? "cycle: " : " -> ") + name;
  return text.empty() ? text : text + "\n";
}

std::string kernel_node(const std::string& name, unsigned entry) {
  return "kernel " + base::readable_name(name) + " of entry " + std::to_string(entry);
}

}  // namespace castor::gpu
