#include "castor/twin/vcd.h"

#include <algorithm>
#include <cerrno>

#include "castor/base/dump_text.h"
#include "castor/base/output_file.h"

namespace castor::twin {

VcdFile::VcdFile(std::string path) : path_(std::move(path)) {
  errno = 0;
  file_.open(path_);
  if (!file_) throw base::cannot_write(path_);
  file_ << "$timescale 1ps $end\n";
}

VcdFile::~VcdFile() { flush(); }

void VcdFile::open_scope(std::string_view name) {
  file_ << "$scope module " << name << " $end\n";
  ++depth_;
}

void VcdFile::close_scope() {
  CASTOR_ASSERT(depth_ > 0);
  file_ << "$upscope $end\n";
  --depth_;
}

unsigned VcdFile::add(std::string_view name, unsigned width, base::ValueNames names) {
  CASTOR_ASSERT(declaring_ && width > 0);
  signals_.push_back(
      {base::identifier(identifiers_++), {}, width, names, false, std::vector<std::uint64_t>((width + 63) / 64)});
  if (names.any()) signals_.back().name_id = base::identifier(identifiers_++);
  declare(name, signals_.back());
  return static_cast<unsigned>(signals_.size() - 1);
}

void VcdFile::add_again(std::string_view name, unsigned signal) {
  CASTOR_ASSERT(declaring_);
  declare(name, signals_[signal]);
}

void VcdFile::declare(std::string_view name, const Signal& signal) {
  file_ << "$var wire " << signal.width << ' ' << signal.id << ' ' << name;
  if (signal.width > 1) file_ << " [" << signal.width - 1 << ":0]";
  file_ << " $end\n";
  if (signal.names.any()) file_ << base::name_variable(name, signal.name_id);
}

void VcdFile::at(std::uint64_t picoseconds) {
  if (declaring_) {
    while (depth_ > 0) close_scope();
    file_ << "$enddefinitions $end\n";
    declaring_ = false;
  }
  CASTOR_ASSERT(picoseconds >= time_, "waves go back from %llu to %llu ps", static_cast<unsigned long long>(time_),
                static_cast<unsigned long long>(picoseconds));
  time_written_ = time_written_ && picoseconds == time_;
  time_ = picoseconds;
}

void VcdFile::write_time() {
  if (time_written_) return;
  buffer_ += '#';
  buffer_ += std::to_string(time_);
  buffer_ += '\n';
  time_written_ = true;
}

void VcdFile::set(unsigned signal, const std::uint64_t* words) {
  Signal& s = signals_[signal];
  if (s.known && std::equal(s.value.begin(), s.value.end(), words)) return;
  s.known = true;
  std::copy_n(words, s.value.size(), s.value.begin());
  write_time();
  const auto bit = [&s](unsigned i) { return static_cast<char>('0' + (s.value[i / 64] >> (i % 64) & 1U)); };
  if (s.width == 1) {
    buffer_ += bit(0);
  } else {
    buffer_ += 'b';
    unsigned top = s.width;
    while (top > 1 && bit(top - 1) == '0') --top;
    while (top-- > 0) buffer_ += bit(top);
    buffer_ += ' ';
  }
  buffer_ += s.id;
  buffer_ += '\n';
  if (s.names.any()) buffer_ += "s" + s.names.of(s.value[0]) + " " + s.name_id + "\n";
  constexpr std::size_t kEnough = 1U << 16U;
  if (buffer_.size() >= kEnough) flush();
}

void VcdFile::flush() {
  file_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

void VcdFile::close() {
  flush();
  errno = 0;
  file_.close();
  if (!file_) throw base::cannot_write(path_);
}

}  // namespace castor::twin
