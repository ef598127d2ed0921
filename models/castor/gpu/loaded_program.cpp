#include "castor/gpu/loaded_program.h"

#include <algorithm>
#include <cstring>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/isa/mark_check.h"
#include "castor/isa/site_check.h"

namespace castor::gpu {

LoadedProgram::LoadedProgram(std::shared_ptr<const isa::Program> program, unsigned lanes, std::uint64_t code_base)
    : program_(std::move(program)), code_base_(code_base) {
  const std::size_t row = std::size_t{lanes} * 4;
  rows_.resize(std::max<std::size_t>(program_->constant_rows, 1) * row / sizeof(Block));
  std::byte* const first = rows_.front().bytes;
  for (std::size_t i = 0; i < program_->constants.size(); ++i) {
    const isa::Constant& constant = program_->constants[i];
    std::byte* const to = first + program_->constant_row[i] * row;
    const std::size_t size = constant.wide ? 8 : 4;
    for (unsigned lane = 0; lane < lanes; ++lane) std::memcpy(to + lane * size, &constant.bits, size);
  }
}

namespace {

static_assert(isa::kMostRenamedRead == kMaxOperands, "the instruction words given to hooks have kMaxOperands sources");

/// Throws InputError about record `pc` of a program: the text, the kernel, the instruction, its PTX line and the hint.
[[noreturn]] void refuse(const isa::Program& program, std::uint32_t pc, std::string text, const std::string& hint) {
  const bool known = pc < program.lines.size();
  text += ", record " + std::to_string(pc) + " of kernel '" +
          base::printable(base::readable_name(program.kernel), 200) + "'";
  if (pc < program.spellings.size()) text += ": " + program.spellings[pc];
  throw base::InputError({program.module, known ? static_cast<int>(program.lines[pc].line) : 0, 0}, text, hint);
}

/// Throws InputError if a redundancy mark of the program breaks a rule.
void check_marks(const isa::Program& program) {
  if (const std::optional<isa::WrongMark> wrong = isa::find_wrong_mark(program))
    refuse(program, wrong->pc, "wrong mark: " + wrong->what,
           "castor list marks shows the marks that the compiler makes, and why");
}

/// Throws InputError if a site of device-wide synchronisation breaks a rule.
void check_sites(const isa::Program& program) {
  if (const std::optional<isa::WrongSite> wrong = isa::find_wrong_site(program))
    refuse(program, wrong->pc, "wrong site of synchronisation: " + wrong->what, "");
}

}  // namespace

ProgramHandle ProgramTable::load(std::shared_ptr<const isa::Program> program) {
  check_marks(*program);
  check_sites(*program);
  std::uint64_t code_base = 0;
  if (code_ != nullptr) {
    const std::uint64_t bytes = std::max<std::uint64_t>(program->code.size() * 8, 8);
    const auto address = code_->allocate(bytes, AllocationKind::kCode, program->kernel);
    if (!address) {
      throw base::InputError("no device memory left for the code of kernel " + base::readable_name(program->kernel) +
                             ": " + std::to_string(bytes) + " bytes");
    }
    code_->set_read_only(*address, true);
    code_base = *address;
  }
  programs_.push_back(std::make_unique<LoadedProgram>(std::move(program), lanes_, code_base));
  return static_cast<ProgramHandle>(programs_.size() - 1);
}

const LoadedProgram& ProgramTable::operator[](ProgramHandle handle) const {
  CASTOR_ASSERT(handle < programs_.size(), "program %u was never loaded", handle);
  return *programs_[handle];
}

void ProgramTable::name(std::uint64_t value, std::optional<ProgramHandle> program) {
  if (program)
    kernels_.insert_or_assign(value, *program);
  else
    kernels_.erase(value);
}

const LoadedProgram* ProgramTable::kernel(std::uint64_t value) const {
  const auto found = kernels_.find(value);
  return found == kernels_.end() ? nullptr : &(*this)[found->second];
}

const LoadedProgram* ProgramTable::find(std::uint64_t code_base) const {
  // The latest program is searched first, since addresses may be reused after a device reset.
  const auto found = std::find_if(programs_.rbegin(), programs_.rend(),
                                  [&](const auto& loaded) { return loaded->code_base() == code_base; });
  return found == programs_.rend() ? nullptr : found->get();
}

}  // namespace castor::gpu
