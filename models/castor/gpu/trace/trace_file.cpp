#include "castor/gpu/trace/trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "castor/base/error.h"

namespace castor::gpu {

TraceFile::TraceFile(std::string path, std::string tail) : path_(std::move(path)), tail_(std::move(tail)) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0)
    throw base::InputError("cannot write '" + base::printable(path_, std::string::npos) + "': " + std::strerror(errno));
  positioned_ = ::lseek(file_, 0, SEEK_CUR) >= 0;
  buffer_.reserve(kBuffer + kBuffer / 4);
}

TraceFile::~TraceFile() { close(); }

bool TraceFile::write_at(std::int64_t position, std::string_view text) {
  while (!text.empty()) {
    const ::ssize_t written =
        positioned_ ? ::pwrite(file_, text.data(), text.size(), position) : ::write(file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (written == 0) errno = ENOSPC;
      return false;
    }
    position += written;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void TraceFile::flush() {
  if (file_ < 0 || buffer_.empty()) return;
  const auto size = static_cast<std::int64_t>(buffer_.size());
  if (positioned_) buffer_ += tail_;
  if (!write_at(end_, buffer_)) return fail();
  previous_ = end_;
  end_ += size;
  buffer_.clear();
}

void TraceFile::fail() {
  error_ = "cannot write '" + base::printable(path_, std::string::npos) + "': " + std::strerror(errno);
  buffer_.clear();
  if (positioned_) {
    // First writes the tail where it was last, since it fits there. If even that write fails, drops the last text to
    // make room for the tail.
    for (const std::int64_t place : {end_, previous_}) {
      if (::ftruncate(file_, place) == 0 && write_at(place, tail_)) break;
    }
  }
  ::close(file_);
  file_ = -1;
}

void TraceFile::close() {
  flush();
  if (file_ < 0) return;
  const bool whole = positioned_ || write_at(0, tail_);
  if (!whole) return fail();
  if (::close(file_) != 0)
    error_ = "cannot write '" + base::printable(path_, std::string::npos) + "': " + std::strerror(errno);
  file_ = -1;
}

}  // namespace castor::gpu
