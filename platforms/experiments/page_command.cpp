#include "platforms/experiments/page_command.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "castor/base/child_process.h"
#include "castor/base/error.h"
#include "castor/base/hash.h"
#include "castor/base/installation.h"
#include "castor/base/words.h"
#include "platforms/experiments/output.h"
#include "platforms/experiments/page.h"
#include "platforms/experiments/pasted_claims.h"
#include "platforms/experiments/process.h"

namespace castor::platforms::experiments {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// Returns the source tree from which this program was built. Throws InputError in an installation, which has none.
fs::path source_tree() {
  std::error_code failed;
  const fs::path tree = fs::canonical(fs::path(base::data_folder()) / "kernels", failed).parent_path().parent_path();
  if (!failed && fs::exists(tree / "docs" / "results", failed)) return tree;
  throw base::InputError("this program does not belong to a tree with docs/results", "--docs names a folder of pages");
}

/// Returns the output of castor_flows/experiment_sources.py: {"sources": {part: digest}, "commit": ..., "changed":
/// [files]}.
Json current_sources(const Experiment& experiment) {
  Names words = {"python3", "-B", base::data_folder() + "/rtl/synthesis/flows.py", "experiment-sources",
                 source_tree().string()};
  for (const std::string& place : experiment.sources()) words.push_back(place);
  ::setenv("CASTOR_PREFIX", base::prefix().c_str(), 1);
  const base::Answer answer = base::run(words);
  Json out = Json::parse(answer.text, nullptr, false);
  if (answer.status != 0 || !out.is_object()) throw base::Error("the digest of the sources cannot be made");
  return out;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

std::string shown_command(const Names& words) { return "castor experiment " + base::shell_line(words); }

/// Returns the file name of a picture beside the page, which begins with the experiment's name.
std::string picture_name(const std::string& experiment, const std::string& file) {
  const std::string prefix = experiment + "-";
  return (file.rfind(prefix, 0) == 0 ? "" : prefix) + file;
}

}  // namespace

/// Parts and pictures of a page, generated from the stored runs.
class PageCommand::Filling {
 public:
  Filling(Experiment& experiment, const KeptRuns& kept, Page page)
      : experiment_(experiment), kept_(kept), page_(std::move(page)) {
    std::set<std::string> used;
    bool has_runs = false, has_claims = false;
    for (std::size_t i = 0; i < page_.parts().size(); ++i) {
      const PagePart& part = page_.parts()[i];
      before_.push_back(part.content);
      if (part.kind != PagePart::Kind::kRuns) used.insert(part.sets.begin(), part.sets.end());
      has_runs = has_runs || part.kind == PagePart::Kind::kRuns;
      has_claims = has_claims || part.kind == PagePart::Kind::kClaims;
      page_.fill(i, content(part));
    }
    if (!has_runs) problem("the page has no part <!-- runs -->");
    for (const std::string& set : kept_.sets()) {
      if (used.count(set) == 0) problem(set + ".csv is used by no part of the page");
      if (kept_.is_kept(set) && !has_claims && !output({set}).claims().empty())
        problem("the page has no part <!-- claims -->");
    }
    find_pictures();
  }

  [[nodiscard]] Page& page() { return page_; }
  /// Returns the problems found: tables and sets of the page that the runs do not provide, and violated invariants.
  [[nodiscard]] const Names& problems() const { return problems_; }
  /// Returns the pictures, by file name without ".svg".
  [[nodiscard]] const std::map<std::string, Plot>& pictures() const { return pictures_; }
  [[nodiscard]] static std::string digest(const Plot& plot) { return base::Hash().add(gnuplot_script(plot)).text(); }

  /// Returns the parts and pictures of the page that differ from newly generated parts and pictures.
  [[nodiscard]] Names differences() {
    Names out;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const PagePart& part = page_.parts()[i];
      if (part.content == before_[i]) continue;
      const DifferingLines lines = first_difference(before_[i], part.content);
      out.push_back("line " + std::to_string(part.line) + ", " + part.marker + " differs\n  page: " + lines.a +
                    "\n  runs: " + lines.b);
    }
    for (const auto& [file, plot] : pictures_) {
      if (kept_.picture(file) != digest(plot)) out.push_back(file + ".svg was drawn of other figures");
    }
    return out;
  }

  [[nodiscard]] std::string summary() {
    std::size_t tables = 0, planned = 0;
    for (const PagePart& part : page_.parts()) {
      if (part.kind == PagePart::Kind::kTable) ++(are_kept(part.sets) ? tables : planned);
    }
    const std::string claims = kept_.is_kept(kMainSet) ? output({kMainSet}).claims() : "";
    return std::to_string(tables) + " tables, " + std::to_string(pictures_.size()) + " pictures" +
           (planned == 0 ? "" : ", " + std::to_string(planned) + " tables of runs that are not kept yet") +
           (claims.empty() ? "" : "; " + claims.substr(0, claims.find('\n')));
  }

 private:
  void problem(const std::string& text) {
    if (std::find(problems_.begin(), problems_.end(), text) == problems_.end()) problems_.push_back(text);
  }

  /// Returns the runs of the sets. If a file cannot be read, returns none and records a problem.
  std::vector<Run> runs(const Names& sets) {
    try {
      return kept_.runs(sets);
    } catch (const base::InputError& error) {
      problem(error.what());
      return {};
    }
  }

  /// Returns whether all given sets exist and have stored runs, i.e. are not only planned.
  bool are_kept(const Names& sets) {
    try {
      return std::all_of(sets.begin(), sets.end(), [this](const std::string& set) { return kept_.is_kept(set); });
    } catch (const base::InputError& error) {
      problem(error.what());
      return false;
    }
  }

  /// Returns the experiment's report on the runs of the given sets. For the main set, and for several sets, it includes
  /// all claims.
  const Output& output(const Names& sets) {
    std::unique_ptr<Output>& found = outputs_[base::joined(sets, "+")];
    if (found != nullptr) return *found;
    found = std::make_unique<Output>("", false, sets.size() > 1 || sets.front() == kMainSet);
    try {
      if (!experiment_.report(runs(sets), *found)) problem(base::joined(sets, "+") + ": the runs break an invariant");
    } catch (const Json::exception& error) {
      problem(base::joined(sets, "+") + ": not runs of this experiment, or of another version: " + error.what());
    }
    return *found;
  }

  std::string content(const PagePart& part) {
    if (part.kind == PagePart::Kind::kRuns) return origins();
    if (!are_kept(part.sets)) {
      if (part.kind == PagePart::Kind::kClaims) check_pasted(part);
      return part.content;
    }
    const Output& reported = output(part.sets);
    if (part.kind == PagePart::Kind::kTable) return table(part, reported);
    if (reported.claims().empty()) problem(part.marker + ": these runs measure no claim");
    return reported.claims();
  }

  /// Checks claims that were pasted by hand because their runs are not stored. Their rules must be the current ones.
  void check_pasted(const PagePart& part) {
    Output without_runs("", false, true);
    experiment_.report({}, without_runs);
    for (const std::string& one : pasted_claims_problems(part.content, without_runs)) {
      problem("line " + std::to_string(part.line) + ", " + part.marker + ": " + one);
    }
  }

  std::string origins() {
    Table table;
    table.head = {"kept in", "runs", "command", "date", "commit"};
    for (const std::string& set : kept_.sets()) {
      const KeptRuns::Origin origin = kept_.origin(set);
      const bool kept = kept_.is_kept(set);
      const std::string link = "[" + set + ".csv](" + experiment_.name() + "/" + set + ".csv)";
      table.rows.push_back({kept ? link : set + ".csv, not kept yet", kept ? std::to_string(runs({set}).size()) : "",
                            "`" + shown_command(origin.command) + "`", origin.date, origin.commit});
    }
    return table.markdown(false);
  }

  std::string table(const PagePart& part, const Output& reported) {
    const Table* found = nullptr;
    Names known;
    for (const Output::Placed& placed : reported.tables()) {
      const std::string& title = placed.table.title;
      const std::string full = title.empty() ? placed.heading : placed.heading + " > " + title;
      known.push_back(full);
      if (part.title != title && part.title != full) continue;
      if (found != nullptr) problem(part.marker + ": several tables have this title; HEADING > TITLE names one");
      found = &placed.table;
    }
    if (found != nullptr) return found->markdown(false);
    problem(part.marker + ": the runs give no such table, but\n  " + base::joined(known, "\n  "));
    return part.content;
  }

  // Finds the pictures that the page shows. Each picture is taken from the first set that has it. The search ends at a
  // planned set, because that set may provide the picture later.
  void find_pictures() {
    for (const std::string& set : kept_.sets()) {
      if (!kept_.is_kept(set)) return;
      for (Plot plot : output({set}).plots()) {
        plot.file = picture_name(experiment_.name(), plot.file);
        if (page_.mentions("](" + plot.file + ".svg)")) pictures_.emplace(plot.file, plot);
      }
    }
  }

  Experiment& experiment_;
  const KeptRuns& kept_;
  Page page_;
  Names before_, problems_;
  std::map<std::string, std::unique_ptr<Output>> outputs_;
  std::map<std::string, Plot> pictures_;
};

PageCommand::PageCommand(Experiment& experiment, const std::string& docs)
    : experiment_(experiment),
      elsewhere_(!docs.empty()),
      docs_(docs.empty() ? (source_tree() / "docs" / "results").string() : docs),
      page_file_(docs_ + "/" + experiment.name() + ".md"),
      kept_(docs_ + "/" + experiment.name()) {}

std::string PageCommand::page_text() const {
  std::string text = contents(page_file_);
  if (text.empty()) throw base::InputError("no page '" + base::printable(page_file_, std::string::npos) + "'");
  return text;
}

bool PageCommand::tell(const std::vector<std::string>& problems) const {
  for (const std::string& one : problems) std::fprintf(stderr, "%s: %s\n", page_file_.c_str(), one.c_str());
  return problems.empty();
}

bool PageCommand::record(const std::string& set, const std::vector<Run>& runs,
                         const std::vector<std::string>& command) {
  const Json now = current_sources(experiment_);
  const auto changed = now.at("changed").get<Names>();
  auto commit = now.at("commit").get<std::string>();
  if (!changed.empty() && !elsewhere_) {
    throw base::InputError("files that can change results are not committed: " + base::joined(changed, ", "),
                           "kept runs name the commit that made them; --docs writes a page elsewhere");
  }
  if (!changed.empty()) commit += "+";
  kept_.keep(set, runs, {command, today(), commit, now.at("sources")});
  return write();
}

bool PageCommand::write() {
  const std::string before = page_text();
  Filling filling(experiment_, kept_, Page(before, page_file_));
  const std::string after = filling.page().text();
  if (after != before) write_file(page_file_, after);
  Json digests = Json::object();
  const Scratch scratch;
  for (const auto& [file, plot] : filling.pictures()) {
    const std::string digest = Filling::digest(plot), name = file + ".svg", drawn = scratch.file(name.c_str());
    std::error_code failed;
    digests[file] = digest;
    if (kept_.picture(file) == digest && fs::exists(docs_ + "/" + name, failed)) continue;
    if (draw(plot, scratch.file("."))) {
      write_file(docs_ + "/" + name, contents(drawn));
    } else {
      digests[file] = "";
      std::fprintf(stderr, "%s: not drawn, gnuplot did not run (package gnuplot-nox)\n", name.c_str());
    }
  }
  kept_.keep_pictures(digests);
  std::printf("%s: %s\n", page_file_.c_str(), filling.summary().c_str());
  return tell(filling.problems());
}

bool PageCommand::check() {
  Filling filling(experiment_, kept_, Page(page_text(), page_file_));
  Names problems = filling.problems();
  const Names differences = filling.differences();
  problems.insert(problems.end(), differences.begin(), differences.end());
  if (!tell(problems)) return false;
  note_other_sources();
  std::printf("%s: as the kept runs say: %s\n", page_file_.c_str(), filling.summary().c_str());
  return true;
}

void PageCommand::note_other_sources() const {
  const Json now = current_sources(experiment_).at("sources");
  for (const std::string& set : kept_.sets()) {
    const KeptRuns::Origin origin = kept_.origin(set);
    if (!kept_.is_kept(set)) {
      std::printf("%s: note: %s.csv is not kept yet; its tables are not compared\n", page_file_.c_str(), set.c_str());
      continue;
    }
    Names other;
    for (const auto& [part, digest] : now.items()) {
      if (origin.sources.value(part, "") != digest) other.push_back(part);
    }
    if (other.empty()) continue;
    std::printf("%s: note: %s.csv is stale: since commit %s sources that can change results have changed (%s)\n",
                page_file_.c_str(), set.c_str(), origin.commit.c_str(), base::joined(other, ", ").c_str());
  }
}

bool PageCommand::again(const std::string& out, unsigned workers) {
  bool good = true;
  for (const std::string& set : kept_.sets()) {
    Names words = {"/proc/self/exe"};
    for (const std::string& word : kept_.origin(set).command) words.push_back(word);
    // The sets share a folder, so a run that is part of several sets is executed once.
    const Names more = {"--quiet", "--record", set, "--out", out, "--workers", std::to_string(workers)};
    words.insert(words.end(), more.begin(), more.end());
    if (elsewhere_) words.insert(words.end(), {"--docs", docs_});
    const base::Answer answer = base::run(words);
    std::fputs(answer.text.c_str(), stdout);
    good = answer.status == 0 && good;
  }
  return good;
}

}  // namespace castor::platforms::experiments
