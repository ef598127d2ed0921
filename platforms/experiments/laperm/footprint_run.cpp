#include "platforms/experiments/laperm/footprint_run.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "castor/base/error.h"
#include "castor/base/hash.h"
#include "castor/base/output_file.h"
#include "platforms/experiments/children/child_run.h"
#include "platforms/experiments/compiled.h"
#include "platforms/experiments/program.h"
#include "workloads/laperm/footprint.h"

namespace castor::platforms::experiments::laperm {
namespace {

namespace laperm = workloads::laperm;
using Names = std::vector<std::string>;

/// File lock that one process at a time holds, for the lifetime of the object.
class FileLock {
 public:
  explicit FileLock(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_ < 0 || ::flock(file_, LOCK_EX) != 0) throw base::cannot_write(path);
  }
  ~FileLock() { ::close(file_); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

void run_compiler(const Names& words, const std::string& log) {
  if (wait_for(start_process(words, log)) != 0) cannot_compile("a footprint", words, log);
}

}  // namespace

std::string FootprintRuns::compiled(const std::string& name) const {
  const std::string program = folder_.file(name.c_str()), ptx = program + ".ptx", own = program + "-own.ptx",
                    writer = program + "-writer.cpp", log = program + ".log";
  const FileLock lock(program + ".lock");
  if (::access(program.c_str(), X_OK) == 0) return program;
  const Names command = compile_command(name);
  Names device;
  for (const std::string& word : command) {
    if (word.size() < 4 || word.compare(word.size() - 4, 4, ".cpp") != 0) device.push_back(word);
  }
  device.insert(device.end(), {"-ptx", "-o", ptx});
  run_compiler(device, log);
  base::write_file(own, laperm::with_footprints(contents(ptx)));
  base::write_file(writer, laperm::footprint_writer());
  Names host = command;
  host.insert(host.end(), {writer, "-Xcompiler", "-Xclang,-fcuda-include-gpubinary,-Xclang," + own, "-o", program});
  run_compiler(host, log);
  return program;
}

Json FootprintRuns::run(const Json& parameters) const {
  const auto name = parameters.at("of").get<std::string>();
  const CudaProgram program(name, compiled(name));
  const Scratch scratch;
  const std::string file = scratch.file("footprint");
  Names keys = parameters.at("keys").get<Names>();
  const Names user = parameters.value("set", Names());
  keys.insert(keys.end(), user.begin(), user.end());
  const CudaProgram::Finished finished =
      program.finish(parameters.at("machine").get<std::string>(), keys, parameters.at("arguments").get<Names>(),
                     {{"CASTOR_FOOTPRINT", file}});
  Json out = Json::object();
  add_counted(finished.said, out);
  const laperm::Footprint footprint = laperm::read_footprint(contents(file));
  const laperm::Sharing sharing = laperm::sharing(footprint);
  std::uint64_t launches = 0;
  for (const auto& note : footprint.notes) launches += note.child ? 1 : 0;
  if (launches != out.at("counted").get<std::uint64_t>()) {
    throw base::Error("a footprint has " + std::to_string(launches) + " launches: " + finished.said);
  }
  out["touched"] = footprint.touched.size();
  out["parents"] = sharing.parents;
  out["children"] = sharing.children;
  out["families"] = sharing.families;
  out["neighbours"] = sharing.neighbours;
  if (sharing.parents != 0) {
    out["parent_child"] = sharing.parent_child;
    out["child_touched"] = sharing.child_blocks;
    out["parent_touched"] = sharing.parent_blocks;
  }
  if (sharing.families != 0) out["child_sibling"] = sharing.child_sibling;
  if (sharing.neighbours != 0) out["parent_parent"] = sharing.parent_parent;
  return out;
}

std::string footprint_figures() {
  return " footprint " + base::Hash().add(laperm::with_footprints(".address_size 64\n")).text() + " sharing 1";
}

}  // namespace castor::platforms::experiments::laperm
