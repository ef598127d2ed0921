#pragma once

#include <cstddef>
#include <vector>

/// True if this program runs under sanitizers, which make it ten to thirty times slower. Long random searches run in
/// the other builds, which compare the same values. Under sanitizers a part of each search suffices to reach the code.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

/// Returns `whole`, or `part` under sanitizers.
template <class T>
constexpr T unless_sanitized(T whole, T part) {
  return kSanitized ? part : whole;
}

/// Returns all elements; under sanitizers the first, the last and every third between them.
template <class Elements>
std::vector<typename Elements::value_type> sample_if_sanitized(const Elements& all) {
  std::vector<typename Elements::value_type> some;
  std::size_t i = 0;
  for (const auto& element : all) {
    if (!kSanitized || i % 3 == 0 || i + 1 == all.size()) some.push_back(element);
    ++i;
  }
  return some;
}
