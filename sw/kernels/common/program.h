// Shared by the CUDA programs of this folder: command line, seeded data, device arrays, and comparison with the CPU
// reference. Plain CUDA, which any CUDA compiler accepts.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "random.h"

/// Ends the program (exit code 1) with file, line and CUDA's text if a runtime call fails.
#define CUDA_CHECK(call)                                                                                        \
  do {                                                                                                          \
    const cudaError_t status_of_call = (call);                                                                  \
    if (status_of_call != cudaSuccess) {                                                                        \
      std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, cudaGetErrorName(status_of_call), \
                   cudaGetErrorString(status_of_call));                                                         \
      std::exit(1);                                                                                             \
    }                                                                                                           \
  } while (0)

namespace kernels {

/// Returns the number of blocks of `block` threads that cover `count` items.
inline unsigned blocks_for(long count, long block) { return static_cast<unsigned>((count + block - 1) / block); }

/// Command-line options of a program: integers with bounds, given as `--name value`, `--name=value` or by position, and
/// text.
class Options {
 public:
  Options(const char* program, const char* purpose) : program_(program), purpose_(purpose) {}

  /// Declares an option; `*value` holds its default and, after `parse`, a value in [low, high].
  void add(const char* name, long* value, long low, long high, const char* meaning) {
    entries_.push_back({name, value, nullptr, low, high, meaning});
  }

  /// Declares an option that takes any text, such as a file name.
  void add_text(const char* name, std::string* value, const char* meaning) {
    entries_.push_back({name, nullptr, value, 0, 0, meaning});
  }

  /// Reads the command line. `--help` prints the options and exits 0; a bad argument prints one line and exits 2.
  void parse(int argc, char** argv) {
    std::size_t next_position = 0;
    for (int i = 1; i < argc; ++i) {
      std::string word = argv[i];
      if (word == "--help" || word == "-h") help();
      if (word.compare(0, 2, "--") != 0) {
        if (next_position == entries_.size()) fail("unexpected argument '" + word + "'");
        set(entries_[next_position++], word);
        continue;
      }
      const std::size_t equals = word.find('=');
      Entry& entry = find(word.substr(2, equals == std::string::npos ? equals : equals - 2));
      if (equals != std::string::npos) {
        set(entry, word.substr(equals + 1));
      } else {
        if (++i == argc) fail("option '" + word + "' needs a value");
        set(entry, argv[i]);
      }
    }
  }

  /// Prints one line that names the program and the mistake, and exits 2.
  [[noreturn]] void fail(const std::string& mistake) const {
    std::fprintf(stderr, "%s: %s; see --help\n", program_, mistake.c_str());
    std::exit(2);
  }

  const char* program() const { return program_; }

  /// Returns the current values of the numeric options, as "n=1000 seed=1".
  std::string values() const {
    std::string text;
    for (const Entry& entry : entries_) {
      if (entry.number == nullptr) continue;
      text += (text.empty() ? "" : " ") + std::string(entry.name) + "=" + std::to_string(*entry.number);
    }
    return text;
  }

 private:
  /// A declared option: a number with bounds, or a text (`number` is null).
  struct Entry {
    const char* name;
    long* number;
    std::string* text;
    long low, high;
    const char* meaning;
  };

  Entry& find(const std::string& name) {
    for (Entry& entry : entries_) {
      if (name == entry.name) return entry;
    }
    fail("unknown option '--" + name + "'");
  }

  void set(Entry& entry, const std::string& word) const {
    if (entry.text != nullptr) {
      *entry.text = word;
      return;
    }
    char* end = nullptr;
    errno = 0;
    const long value = std::strtol(word.c_str(), &end, 0);
    if (word.empty() || *end != '\0' || errno != 0) {
      fail("option '" + std::string(entry.name) + "' wants a whole number, not '" + word + "'");
    }
    if (value < entry.low || value > entry.high) {
      fail("option '" + std::string(entry.name) + "' is " + word + ", allowed are " + std::to_string(entry.low) +
           " to " + std::to_string(entry.high));
    }
    *entry.number = value;
  }

  [[noreturn]] void help() const {
    std::printf("%s: %s\n", program_, purpose_);
    for (const Entry& entry : entries_) {
      if (entry.number != nullptr) {
        std::printf("  --%-10s %s (%ld to %ld, default %ld)\n", entry.name, entry.meaning, entry.low, entry.high,
                    *entry.number);
      } else {
        std::printf("  --%-10s %s\n", entry.name, entry.meaning);
      }
    }
    std::printf("Exit code: 0 results are right, 1 they are not, 2 bad arguments.\n");
    std::exit(0);
  }

  const char* program_;
  const char* purpose_;
  std::vector<Entry> entries_;
};

/// A device array that frees itself; copies are synchronous and checked.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) { CUDA_CHECK(cudaMalloc(&data_, size * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { upload(values); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  void upload(const std::vector<T>& values) {
    CUDA_CHECK(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> download() const {
    std::vector<T> values(size_);
    CUDA_CHECK(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  /// Sets every byte of the array to `byte`.
  void fill_bytes(int byte) { CUDA_CHECK(cudaMemset(data_, byte, size_ * sizeof(T))); }

  T* get() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// Collects the comparisons of a program with its reference and prints one result line. Results that are compared
/// exactly enter a hash (FNV-1a), which is equal at every optimisation level.
class Verdict {
 public:
  explicit Verdict(const Options& options) : options_(options) {}

  /// Compares every element for equality.
  template <class T>
  void equal(const char* what, const std::vector<T>& got, const std::vector<T>& want) {
    std::size_t wrong = got.size() == want.size() ? 0 : 1;
    for (std::size_t i = 0; i < got.size() && i < want.size(); ++i) {
      if (!(got[i] == want[i]) && wrong++ == 0) explain(what, i, got[i], want[i]);
    }
    add_hash(got.data(), got.size() * sizeof(T));
    note(wrong == 0, std::string(what) + " " + std::to_string(want.size()) +
                         (wrong == 0 ? " equal" : " with " + std::to_string(wrong) + " wrong"));
  }

  /// Compares one number for equality and adds it to the hash.
  template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
  void equal(const char* what, T got, T want) {
    if (!(got == want)) explain(what, 0, got, want);
    add_hash(&got, sizeof(T));
    note(got == want, std::string(what) + " " + text_of(got) + (got == want ? "" : " instead of " + text_of(want)));
  }

  /// Compares element by element: |got - want| <= absolute + relative * |want|. Two NaN count as close.
  template <class T, class U>
  void close(const char* what, const std::vector<T>& got, const std::vector<U>& want, double relative,
             double absolute) {
    std::size_t wrong = got.size() == want.size() ? 0 : 1;
    double worst = 0;
    for (std::size_t i = 0; i < got.size() && i < want.size(); ++i) {
      const double g = static_cast<double>(got[i]), w = static_cast<double>(want[i]);
      if (g == w || (std::isnan(g) && std::isnan(w))) continue;
      const double share = std::fabs(g - w) / (absolute + relative * std::fabs(w));
      if (!(share <= 1) && wrong++ == 0) explain(what, i, g, w);
      if (share > worst) worst = share;
    }
    char figure[64];
    std::snprintf(figure, sizeof figure, " within %.0f %% of tolerance", std::ceil(worst * 100));
    note(wrong == 0, std::string(what) + " " + std::to_string(want.size()) +
                         (wrong == 0 ? figure : " with " + std::to_string(wrong) + " wrong"));
  }

  /// Records whether a named property holds.
  void holds(const char* what, bool good) { note(good, std::string(what) + (good ? " holds" : " FAILS")); }

  /// Prints PASS or FAIL with the results of all comparisons. Returns the program's exit code.
  int finish() const {
    std::printf("%s %s %s: %s", good_ ? "PASS" : "FAIL", options_.program(), options_.values().c_str(),
                figures_.c_str());
    if (hashed_) std::printf("; hash %016llx", static_cast<unsigned long long>(hash_));
    std::printf("\n");
    return good_ ? 0 : 1;
  }

 private:
  template <class T>
  static std::string text_of(T value) {
    char text[64];
    if (std::is_floating_point<T>::value) {
      std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
    } else if (std::is_signed<T>::value) {
      std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
    } else {
      std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
    }
    return text;
  }

  template <class T>
  void explain(const char* what, std::size_t index, T got, T want) const {
    std::fprintf(stderr, "%s: %s[%zu] is %s, expected %s\n", options_.program(), what, index, text_of(got).c_str(),
                 text_of(want).c_str());
  }

  void note(bool good, const std::string& figure) {
    good_ = good_ && good;
    figures_ += (figures_.empty() ? "" : ", ") + figure;
  }

  void add_hash(const void* data, std::size_t bytes) {
    hashed_ = true;
    const unsigned char* byte = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) hash_ = (hash_ ^ byte[i]) * 0x100000001b3ull;
  }

  const Options& options_;
  std::string figures_;
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
  bool good_ = true;
  bool hashed_ = false;
};

}  // namespace kernels
