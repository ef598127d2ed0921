// Regular expressions over streams of letters. A thread has one position of one stream and walks the automaton from
// there, depth first, along all matching transitions. The automaton is nondeterministic, so several transitions of a
// state may match. If a state has many transitions, a child tests them with a thread for each; the child walks on and
// may launch the same kernel again.
#include <cuda_runtime.h>

#include "../common/child_launch.h"
#include "../common/program.h"

using namespace kernels;

constexpr int kLetters = 16;
/// Layers of hub states (states with many transitions); paths lead from a layer to a later one
constexpr int kLayers = 4;
constexpr int kChain = 3;                   ///< longest chain of letters between two hub states
constexpr int kLongest = kLayers * kChain;  ///< letters of the longest match

/// A random automaton. State s has the transitions first[s] to first[s + 1] - 1. Transition t accepts the letters whose
/// bits are set in letters[t] and leads to state to[t]. State 0 is the start state.
struct Automaton {
  std::vector<int> first{0}, to, letters, accepts;

  Automaton(long width, long seed) {
    Random random(seed);
    struct Transition {
      int from, letters, to;
    };
    std::vector<Transition> transitions;
    const int hubs = 1 + (kLayers - 1) * 3;  // one hub state in layer 0, three in each later layer
    int states = hubs;
    for (int hub = 0; hub < hubs; ++hub) {
      const int layer = (hub + 2) / 3;
      const long ways = hub == 0 ? width : random.range(width / 4 + 1, width + width / 2);
      for (long way = 0; way < ways; ++way) {
        int from = hub;
        for (long left = random.range(1, kChain); left > 0; --left) {
          int letters = 0;
          for (long k = random.range(1, 4); k > 0; --k) letters |= 1 << random.range(0, kLetters - 1);
          const bool on = left == 1 && layer + 1 < kLayers && random.next() % 2 != 0;
          const int to = on ? static_cast<int>(1 + 3 * layer + random.range(0, 2)) : states++;
          transitions.push_back({from, letters, to});
          accepts.resize(states);
          accepts[to] = left == 1 && !on;
          from = to;
        }
      }
    }
    std::stable_sort(transitions.begin(), transitions.end(),
                     [](const Transition& a, const Transition& b) { return a.from < b.from; });
    first.assign(states + 1, 0);
    for (const Transition& transition : transitions) {
      ++first[transition.from + 1];
      letters.push_back(transition.letters);
      to.push_back(transition.to);
    }
    for (int state = 0; state < states; ++state) first[state + 1] += first[state];
  }
};

struct Matcher {
  const int *first, *to, *letters, *accepts;
  int transitions;
  const unsigned char* text;  ///< text of all streams
  int length;                 ///< letters of a stream
  unsigned* matches;          ///< number of matches of each stream
};

__device__ bool fits(const Matcher& matcher, const Children& children, int stream, int place, int transition) {
  children.count_item(transition);
  children.count_item(matcher.transitions + stream * matcher.length + place);
  return (matcher.letters[transition] >> matcher.text[stream * matcher.length + place] & 1) != 0;
}

template <Form form>
__global__ void walk_transitions(Matcher matcher, Children children, int stream, int place, int first, int transitions);

/// Walks all paths that match from `state` at position `place` of a stream.
template <Form form>
__device__ void walk(const Matcher& matcher, const Children& children, int stream, int place, int state) {
  struct Open {
    int transition, end;
  };
  Open open[kLongest + 1];  // one entry for each letter of the path
  int depth = 0;
  for (;;) {
    if (matcher.accepts[state] != 0) atomicAdd(&matcher.matches[stream], 1u);
    int first = matcher.first[state];
    const int end = matcher.first[state + 1];
    if (place + depth < matcher.length) {
      first += give_to_child<form, walk_transitions<form>>(children, end - first, matcher, children, stream,
                                                           place + depth, first);
      open[depth++] = {first, end};
    } else {
      open[depth++] = {end, end};
    }
    for (;;) {
      if (depth == 0) return;
      Open& last = open[depth - 1];
      if (last.transition == last.end) {
        --depth;
        continue;
      }
      const int transition = last.transition++;
      if (!fits(matcher, children, stream, place + depth - 1, transition)) continue;
      state = matcher.to[transition];
      break;
    }
  }
}

template <Form form>
__global__ void walk_transitions(Matcher matcher, Children children, int stream, int place, int first,
                                 int transitions) {
  const int i = thread_in_grid();
  if (i >= transitions || !fits(matcher, children, stream, place, first + i)) return;
  walk<form>(matcher, children, stream, place + 1, matcher.to[first + i]);
}

template <Form form>
__global__ void match(Matcher matcher, Children children, int streams) {
  const int i = thread_in_grid();
  if (i < streams * matcher.length) walk<form>(matcher, children, i / matcher.length, i % matcher.length, 0);
}

/// Returns the text of all streams: "packets" repeats words of a small dictionary, "strings" are random letters.
std::vector<unsigned char> make_text(const std::string& input, long letters, long seed) {
  Random random(seed + 1);
  std::vector<std::vector<unsigned char>> words(input == "packets" ? 24 : kLetters);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i].push_back(static_cast<unsigned char>(i % kLetters));
    for (long left = input == "packets" ? random.range(2, 7) : 0; left > 0; --left) {
      words[i].push_back(static_cast<unsigned char>(random.range(0, kLetters - 1)));
    }
  }
  std::vector<unsigned char> text;
  while (static_cast<long>(text.size()) < letters) {
    const auto& word = words[random.range(0, static_cast<long>(words.size()) - 1)];
    text.insert(text.end(), word.begin(), word.end());
  }
  text.resize(letters);
  return text;
}

int main(int argc, char** argv) {
  std::string input = "packets";
  long streams = 32, length = 64, width = 48, block = 128, seed = 1;
  ChildForm form(32);
  Options options("dynamic_regexp", "matches of regular expressions in streams of letters");
  form.add(options);
  options.add_text("input", &input, "packets (words of a dictionary) or strings (random letters); default packets");
  options.add("streams", &streams, 1, 1 << 16, "number of streams");
  options.add("length", &length, 1, 1 << 12, "letters of a stream");
  options.add("width", &width, 1, 1 << 10, "expressions: transitions of the first state");
  options.add("block", &block, 1, 1024, "threads of a block");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the expressions and of the streams");
  form.add_numbers(options);
  options.parse(argc, argv);
  form.check(options);
  if (input != "packets" && input != "strings") {
    options.fail("option 'input' is '" + input + "'; packets and strings are known");
  }

  const Automaton automaton(width, seed);
  const std::vector<unsigned char> text = make_text(input, streams * length, seed);
  DeviceArray<int> first(automaton.first), to(automaton.to), letters(automaton.letters), accepts(automaton.accepts);
  DeviceArray<unsigned char> device_text(text);
  DeviceArray<unsigned> matches(streams);
  matches.fill_bytes(0);
  form.start(static_cast<long>(automaton.to.size()) + streams * length);
  const Matcher matcher{first.get(),
                        to.get(),
                        letters.get(),
                        accepts.get(),
                        static_cast<int>(automaton.to.size()),
                        device_text.get(),
                        static_cast<int>(length),
                        matches.get()};
  form.with_form([&](auto tag) {
    if constexpr (tag.value != Form::kFlat) form.keep_resident<walk_transitions<tag.value>>();
    match<tag.value><<<blocks_for(streams * length, block), static_cast<unsigned>(block)>>>(matcher, form.children(),
                                                                                            static_cast<int>(streams));
  });
  CUDA_CHECK(cudaGetLastError());

  // Reference: number of paths to each state at each position, computed position by position.
  const std::size_t transitions = automaton.to.size();
  std::vector<unsigned> expected(streams), tests(transitions + text.size());
  for (long stream = 0; stream < streams; ++stream) {
    std::vector<unsigned> ways(automaton.accepts.size()), next(ways.size());
    for (long place = 0; place <= length; ++place) {
      if (place < length) ++ways[0];
      std::fill(next.begin(), next.end(), 0);
      for (std::size_t state = 0; state < ways.size(); ++state) {
        if (automaton.accepts[state] != 0) expected[stream] += ways[state];
        if (ways[state] == 0 || place == length) continue;
        for (int t = automaton.first[state]; t < automaton.first[state + 1]; ++t) {
          tests[t] += ways[state];
          tests[transitions + stream * length + place] += ways[state];
          if ((automaton.letters[t] >> text[stream * length + place] & 1) != 0) next[automaton.to[t]] += ways[state];
        }
      }
      ways.swap(next);
    }
  }
  Verdict verdict(options);
  verdict.equal("matches of streams", matches.download(), expected);
  form.finish(options,
              "input=" + input + ": states " + std::to_string(automaton.accepts.size()) + ", transitions " +
                  std::to_string(transitions),
              verdict, tests);
  return verdict.finish();
}
