// Parts of a speech assistant: scores of Gaussian mixture models, and stems of words.
#pragma once

#include <memory>
#include <string>

#include "work.h"

namespace job_mix {

// --- GMM ------------------------------------------------------------------------------------------------------------

constexpr int kDimensions = 8, kMixtures = 8;
constexpr long kStates = 2048;  // acoustic states, at full size

// Scores one acoustic state per thread, one frame per job: log of a sum of Gaussians with diagonal covariance.
// Parameters are interleaved between neighbouring states.
__global__ void gmm_score(float* scores, const float* frame, const float* means, const float* precisions,
                          const float* weights, int states) {
  __shared__ float x[kDimensions];
  if (threadIdx.x < kDimensions) x[threadIdx.x] = frame[threadIdx.x];
  __syncthreads();
  const int state = blockIdx.x * blockDim.x + threadIdx.x;
  if (state >= states) return;
  float best = -1e30f, sum = 0;
  for (int m = 0; m < kMixtures; ++m) {
    float distance = 0;
#pragma unroll 4
    for (int d = 0; d < kDimensions; ++d) {
      const int at = (m * kDimensions + d) * states + state;
      const float off = x[d] - means[at];
      distance += off * off * precisions[at];
    }
    const float log_density = weights[m * states + state] - 0.5f * distance;
    const float larger = fmaxf(best, log_density);
    sum = sum * expf(best - larger) + expf(log_density - larger);
    best = larger;
  }
  scores[state] = best + logf(sum);
}

/// Job type gmm: scores of all acoustic states for one speech frame per job.
class Gmm final : public Family {
 public:
  explicit Gmm(const Sizes& sizes) : sizes_(sizes), states_(kStates / sizes.divide), scores_(states_) {
    kernels::Random random(sizes.seed + 80);
    means_.resize(kMixtures * kDimensions * states_);
    precisions_.resize(means_.size());
    weights_.resize(kMixtures * states_);
    for (float& one : means_) one = static_cast<float>(random.real(-1, 1));
    for (float& one : precisions_) one = static_cast<float>(random.real(0.5, 2));
    for (float& one : weights_) one = static_cast<float>(random.real(-4, -1));
  }
  int add(const Job& /*job*/) override {
    kernels::Random random(sizes_.seed + 80021 * ++jobs_);
    for (int d = 0; d < kDimensions; ++d) frames_.push_back(static_cast<float>(random.real(-1.5, 1.5)));
    return jobs_ - 1;
  }
  void upload() override {
    d_means_ = std::make_unique<kernels::DeviceArray<float>>(means_);
    d_precisions_ = std::make_unique<kernels::DeviceArray<float>>(precisions_);
    d_weights_ = std::make_unique<kernels::DeviceArray<float>>(weights_);
    d_frames_ = std::make_unique<kernels::DeviceArray<float>>(frames_);
    scores_.upload(jobs_);
  }
  void launch(int number, cudaStream_t stream) override {
    gmm_score<<<kernels::blocks_for(states_, 256), 256, 0, stream>>>(
        scores_.device(number), d_frames_->get() + number * kDimensions, d_means_->get(), d_precisions_->get(),
        d_weights_->get(), static_cast<int>(states_));
    CUDA_CHECK(cudaGetLastError());
  }
  void download() override { scores_.download(); }

  // The reference is the plain sum of exponentials in double precision.
  void check(const std::vector<bool>& ran, kernels::Verdict& verdict) override {
    std::vector<float> got;
    std::vector<double> want;
    bool untouched = true;
    for (int job = 0; job < jobs_; ++job) {
      if (!ran[job]) {
        untouched = untouched && scores_.untouched(job);
        continue;
      }
      got.insert(got.end(), scores_.begin(job), scores_.begin(job) + states_);
      for (long state = 0; state < states_; ++state) {
        double sum = 0;
        for (int m = 0; m < kMixtures; ++m) {
          double exponent = weights_[m * states_ + state];
          for (int d = 0; d < kDimensions; ++d) {
            const long at = (m * kDimensions + d) * states_ + state;
            const double off = static_cast<double>(frames_[job * kDimensions + d]) - means_[at];
            exponent -= off * off * precisions_[at] / 2;
          }
          sum += std::exp(exponent);
        }
        want.push_back(std::log(sum));
      }
    }
    verdict.close("gmm scores", got, want, 1e-6, 1e-5);
    if (!untouched) verdict.holds("gmm scores of refused jobs untouched", false);
  }

  bool set_isolated(const std::string& name, unsigned time) override {
    if (name != "gmm") return false;
    job_mix::set_isolated(reinterpret_cast<const void*>(&gmm_score), 256, time);
    return true;
  }

 private:
  Sizes sizes_;
  long states_;
  int jobs_ = 0;
  std::vector<float> means_, precisions_, weights_, frames_;
  Results<float> scores_;
  std::unique_ptr<kernels::DeviceArray<float>> d_means_, d_precisions_, d_weights_, d_frames_;
};

// --- STEM -----------------------------------------------------------------------------------------------------------

constexpr long kWords = 4096;  // words per job, at full size
constexpr int kLetters = 16;   // letters reserved for a word; unused letters are 0

// Rules of Porter's stemmer (1980) for English, ordered by step. In each step only the first rule whose suffix matches
// is tried. `measure` is the condition on the rest of the word: it must have more than `measure` vowel-consonant
// sequences, contain a vowel (kVowel), or there is no condition (kAlways).
struct Rule {
  char suffix[8], replacement[5];
  signed char measure;
  unsigned char suffix_length, replacement_length, step;
};
constexpr int kVowel = -1, kAlways = -2;
constexpr Rule rule(unsigned char step, const char* suffix, const char* replacement, int measure) {
  Rule out{{}, {}, static_cast<signed char>(measure), 0, 0, step};
  for (; suffix[out.suffix_length] != 0; ++out.suffix_length) out.suffix[out.suffix_length] = suffix[out.suffix_length];
  for (; replacement[out.replacement_length] != 0; ++out.replacement_length) {
    out.replacement[out.replacement_length] = replacement[out.replacement_length];
  }
  return out;
}
constexpr unsigned kSteps = 7;
constexpr Rule kRules[] = {
    rule(0, "sses", "ss", kAlways), rule(0, "ies", "i", kAlways), rule(0, "ss", "ss", kAlways),
    rule(0, "s", "", kAlways),      rule(1, "eed", "ee", 0),      rule(1, "ed", "", kVowel),
    rule(1, "ing", "", kVowel),     rule(2, "y", "i", kVowel),    rule(3, "ational", "ate", 0),
    rule(3, "izer", "ize", 0),      rule(3, "ization", "ize", 0), rule(3, "fulness", "ful", 0),
    rule(3, "biliti", "ble", 0),    rule(4, "icate", "ic", 0),    rule(4, "alize", "al", 0),
    rule(4, "ful", "", 0),          rule(4, "ness", "", 0),       rule(5, "ance", "", 1),
    rule(5, "able", "", 1),         rule(5, "ement", "", 1),      rule(5, "ment", "", 1),
    rule(5, "ent", "", 1),          rule(5, "ate", "", 1),        rule(6, "e", "", 1),
};
constexpr int kRuleCount = sizeof kRules / sizeof kRules[0];

// A rule in the device's format: letters packed in 64 bits, first letter lowest.
using Packed = unsigned long long;
struct PackedRule {
  Packed suffix, mask, replacement;  ///< `suffix` ends in the top byte, like last_letters()
  unsigned suffix_length, replacement_length, step, vowels;
  int measure;
};
__constant__ PackedRule rules_on_device[kRuleCount];

inline PackedRule packed(const Rule& rule) {
  PackedRule out{0, 0, 0, rule.suffix_length, rule.replacement_length, rule.step, 0, rule.measure};
  for (unsigned i = 0; i < rule.suffix_length; ++i) {
    const unsigned shift = 8 * (8 - rule.suffix_length + i);
    out.suffix |= static_cast<Packed>(rule.suffix[i]) << shift;
    out.mask |= Packed{0xff} << shift;
  }
  for (unsigned i = 0; i < rule.replacement_length; ++i) {
    out.replacement |= static_cast<Packed>(rule.replacement[i]) << (8 * i);
    if (std::strchr("aeiou", rule.replacement[i]) != nullptr) out.vowels |= 1U << i;
  }
  return out;
}

// Returns the last eight letters of a word, the very last in the top byte; bytes without a letter are 0.
__device__ inline Packed last_letters(Packed low, Packed high, unsigned length) {
  if (length <= 8) return length == 0 ? 0 : low << (8 * (8 - length));
  return length == 16 ? high : low >> (8 * (length - 8)) | high << (8 * (16 - length));
}

// Stems words. A word is two registers of eight letters, and a bit mask marks its vowels. Bits of the letters before a
// replaced suffix stay valid, because whether a y is a vowel depends only on the letter before it.
__global__ void stem(ulonglong2* stems, const ulonglong2* words, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Packed low = words[i].x, high = words[i].y;
  unsigned length = 0, vowels = 0;
  for (unsigned k = 0; k < kLetters; ++k) {
    const unsigned letter = static_cast<unsigned>((k < 8 ? low : high) >> (8 * (k % 8))) & 0xff;
    if (letter == 0) break;
    const bool always = letter == 'a' || letter == 'e' || letter == 'i' || letter == 'o' || letter == 'u';
    const bool y = letter == 'y' && k > 0 && (vowels >> (k - 1)) % 2 == 0;
    vowels |= static_cast<unsigned>(always || y) << k;
    length = k + 1;
  }
  unsigned step_done = kSteps;
  Packed tail = last_letters(low, high, length);
  for (int r = 0; r < kRuleCount; ++r) {
    const PackedRule& rule = rules_on_device[r];
    if (rule.step == step_done || rule.suffix_length > length || (tail & rule.mask) != rule.suffix) continue;
    step_done = rule.step;
    const unsigned left = length - rule.suffix_length, kept = vowels & ((1U << left) - 1);
    const int runs = left == 0 ? 0 : __popc(kept & ~(kept >> 1) & ((1U << (left - 1)) - 1));
    if (rule.measure == kVowel ? kept == 0 : runs <= rule.measure) continue;
    length = left + rule.replacement_length;
    vowels = kept | rule.vowels << left;
    if (left >= 8) {
      high = (left == 8 ? 0 : high & ((Packed{1} << (8 * (left - 8))) - 1)) | rule.replacement << (8 * (left - 8));
    } else {
      high = left == 0 ? 0 : rule.replacement >> (8 * (8 - left));
      low = (low & ((Packed{1} << (8 * left)) - 1)) | rule.replacement << (8 * left);
    }
    tail = last_letters(low, high, length);
  }
  stems[i] = make_ulonglong2(low, high);
}

/// Job type stem: stems of a job's words.
class Stem final : public Family {
 public:
  explicit Stem(const Sizes& sizes) : sizes_(sizes), count_(kWords / sizes.divide), stems_(count_ * kLetters) {}

  // Adds random words: syllables, and in seven of eight words the suffix of a rule.
  int add(const Job& /*job*/) override {
    kernels::Random random(sizes_.seed + 90001 * ++jobs_);
    static const char consonants[] = "bcdfghklmnprstvwxyz", vowels[] = "aeiou";
    for (long i = 0; i < count_; ++i) {
      std::string word;
      for (long syllables = random.range(1, 3); syllables > 0; --syllables) {
        word += consonants[random.range(0, sizeof consonants - 2)];
        word += vowels[random.range(0, sizeof vowels - 2)];
        if (random.range(0, 1) != 0) word += consonants[random.range(0, sizeof consonants - 2)];
      }
      if (i % 8 != 7) word += kRules[random.range(0, kRuleCount - 1)].suffix;
      word.resize(kLetters, 0);
      words_.insert(words_.end(), word.begin(), word.end());
    }
    return jobs_ - 1;
  }
  void upload() override {
    std::vector<PackedRule> rules;
    for (const Rule& one : kRules) rules.push_back(packed(one));
    CUDA_CHECK(cudaMemcpyToSymbol(rules_on_device, rules.data(), sizeof rules_on_device));
    d_words_ = std::make_unique<kernels::DeviceArray<char>>(words_);
    stems_.upload(jobs_);
  }
  void launch(int number, cudaStream_t stream) override {
    stem<<<kernels::blocks_for(count_, 256), 256, 0, stream>>>(
        reinterpret_cast<ulonglong2*>(stems_.device(number)),
        reinterpret_cast<const ulonglong2*>(d_words_->get() + number * count_ * kLetters), static_cast<int>(count_));
    CUDA_CHECK(cudaGetLastError());
  }
  void download() override { stems_.download(); }

  void check(const std::vector<bool>& ran, kernels::Verdict& verdict) override {
    std::vector<char> got, want;
    bool untouched = true;
    for (int job = 0; job < jobs_; ++job) {
      if (!ran[job]) {
        untouched = untouched && stems_.untouched(job);
        continue;
      }
      got.insert(got.end(), stems_.begin(job), stems_.begin(job) + count_ * kLetters);
      for (long i = 0; i < count_; ++i) {
        std::string word(&words_[(job * count_ + i) * kLetters], kLetters);
        word.resize(word.find_last_not_of('\0') + 1);
        word = on_host(word);
        word.resize(kLetters, 0);
        want.insert(want.end(), word.begin(), word.end());
      }
    }
    verdict.equal("letters of stems", got, want);
    if (!untouched) verdict.holds("stems of refused jobs untouched", false);
  }

  bool set_isolated(const std::string& name, unsigned time) override {
    if (name != "stem") return false;
    job_mix::set_isolated(reinterpret_cast<const void*>(&stem), 256, time);
    return true;
  }

 private:
  // Returns the word as a sequence of vowel runs (v) and consonant runs (c), in Porter's form [C](VC)^m[V].
  static std::string runs(const std::string& word) {
    std::string out;
    char before = 'c';
    for (std::size_t i = 0; i < word.size(); ++i) {
      char kind = std::string("aeiou").find(word[i]) != std::string::npos ? 'v' : 'c';
      if (word[i] == 'y') kind = i > 0 && before == 'c' ? 'v' : 'c';
      if (out.empty() || out.back() != kind) out += kind;
      before = kind;
    }
    return out;
  }

  static std::string on_host(std::string word) {
    for (unsigned step = 0; step < kSteps; ++step) {
      for (const Rule& rule : kRules) {
        const std::string suffix(rule.suffix, rule.suffix_length);
        if (rule.step != step || word.size() < suffix.size()) continue;
        const std::string left = word.substr(0, word.size() - suffix.size());
        if (left + suffix != word) continue;
        const std::string pattern = runs(left);
        long measure = 0;
        for (std::size_t at = pattern.find("vc"); at != std::string::npos; at = pattern.find("vc", at + 2)) ++measure;
        const bool has_vowel = pattern.find('v') != std::string::npos;
        if (rule.measure == kAlways || (rule.measure == kVowel ? has_vowel : measure > rule.measure)) {
          word = left + std::string(rule.replacement, rule.replacement_length);
        }
        break;
      }
    }
    return word;
  }

  Sizes sizes_;
  long count_;
  int jobs_ = 0;
  std::vector<char> words_;
  Results<char> stems_;
  std::unique_ptr<kernels::DeviceArray<char>> d_words_;
};

}  // namespace job_mix
