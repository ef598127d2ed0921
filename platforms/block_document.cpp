#include "platforms/block_document.h"

#include "castor/base/statistics.h"
#include "castor/hookup/blocks.h"

namespace castor::platforms {
namespace {

std::string keys(const hookup::BlockType& type) {
  std::string text = "| key | unit | allowed | default | meaning |\n|---|---|---|---|---|\n";
  for (const base::SchemaRow& row : hookup::schema_rows(type.name(), type.keys())) {
    text += "| `" + row.key + "` | " + row.unit + " | " + row.allowed_values() + " | " + row.standard + " | " +
            row.meaning + " |\n";
  }
  return text;
}

void append_statistics(const base::StatisticGroup& group, const std::string& path, std::string& text) {
  if (!group.statistics().empty()) {
    text += "\nStatistics `" + path + "`:\n\n| name | unit | meaning |\n|---|---|---|\n";
    for (const base::Statistic* const statistic : group.statistics()) {
      const base::StatisticInfo& info = statistic->info();
      text += std::string("| `") + info.name + "` | " + (*info.unit == '\0' ? "n" : info.unit) + " | " + info.meaning +
              " |\n";
    }
  }
  for (const base::StatisticGroup* const child : group.groups()) {
    append_statistics(*child, path + "." + child->name(), text);
  }
}

}  // namespace

std::string block_document(const std::string& name) {
  const hookup::BlockType& type = hookup::block_type(name);
  std::string text = keys(type) + "\nOn a machine, with its keys at their defaults, the block\n\n";
  for (const hookup::Claim claim : type.claims({name, type.keys()})) {
    text += std::string("* ") + hookup::meaning(claim) + "\n";
  }
  if (type.window() >= 0) text += "* serves register window " + std::to_string(type.window()) + "\n";
  base::StatisticGroup parent("hook");
  const std::shared_ptr<void> statistics = type.declare_statistics(parent);
  append_statistics(parent, type.statistics_path(), text);
  return text;
}

}  // namespace castor::platforms
