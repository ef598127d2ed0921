#include "platforms/experiments/kept_runs.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "platforms/experiments/output.h"
#include "platforms/experiments/run_table.h"

namespace castor::platforms::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char *kRuns = "runs", *kPictures = "pictures";

std::string facts_file(const std::string& folder) { return folder + "/page.json"; }

bool is_word(const std::string& name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos;
}

}  // namespace

KeptRuns::KeptRuns(std::string folder) : folder_(std::move(folder)) {
  facts_ = {{kRuns, Json::object()}, {kPictures, Json::object()}};
  const std::string path = facts_file(folder_);
  std::error_code failed;
  if (!fs::exists(path, failed)) return;
  const Json read = Json::parse(contents(path), nullptr, false);
  if (!read.is_object() || !read.contains(kRuns) || !read.contains(kPictures)) {
    throw base::InputError(base::SourceLocation{path}, "it is not what castor experiment NAME --record writes");
  }
  facts_ = read;
}

std::vector<std::string> KeptRuns::sets() const {
  std::vector<std::string> out;
  for (const auto& [name, entry] : facts_.at(kRuns).items()) out.push_back(name);
  return out;
}

const Json& KeptRuns::entry(const std::string& set) const {
  const Json& all = facts_.at(kRuns);
  if (all.contains(set)) return all.at(set);
  const std::string known = base::joined(sets(), ", ");
  throw base::InputError("no runs '" + base::printable(set) + "' are kept in " + folder_,
                         known.empty() ? "castor experiment NAME --record keeps some" : "there are " + known);
}

KeptRuns::Origin KeptRuns::origin(const std::string& set) const {
  const Json& one = entry(set);
  return {one.at("command").get<std::vector<std::string>>(), one.value("date", ""), one.value("commit", ""),
          one.value("sources", Json::object())};
}

std::vector<Run> KeptRuns::runs(const std::vector<std::string>& sets) const {
  std::vector<Run> out;
  std::set<std::string> names;
  for (const std::string& set : sets) {
    static_cast<void>(entry(set));
    for (Run& run : read_runs(contents(file(set)), file(set))) {
      if (names.insert(run.name).second) out.push_back(std::move(run));
    }
  }
  return out;
}

std::string KeptRuns::picture(const std::string& file) const { return facts_.at(kPictures).value(file, ""); }

void KeptRuns::keep(const std::string& set, const std::vector<Run>& runs, const Origin& origin) {
  if (!is_word(set)) {
    throw base::InputError("'" + base::printable(set) + "' is no name for runs", "small letters, digits, '-' and '_'");
  }
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) throw base::InputError(base::SourceLocation{folder_}, "cannot be made: " + failed.message());
  write_file(file(set), write_runs(runs));
  facts_[kRuns][set] = {
      {"command", origin.command}, {"date", origin.date}, {"commit", origin.commit}, {"sources", origin.sources}};
  write();
}

void KeptRuns::keep_pictures(const Json& digests) {
  if (facts_[kPictures] == digests) return;
  facts_[kPictures] = digests;
  write();
}

void KeptRuns::write() const { write_file(facts_file(folder_), facts_.dump(1) + "\n"); }

}  // namespace castor::platforms::experiments
