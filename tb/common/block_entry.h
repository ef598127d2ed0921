#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "castor/twin/make_twin.h"
#include "castor/twin/port_waves.h"
#include "tb/common/cosim.h"

namespace castor::tb {

namespace detail {

/// Returns the VCD scopes that hold the waves of ports and probes. In lockstep, model and RTL were compared and have
/// equal values in every completed cycle. One signal is therefore declared in both scopes, at the same hierarchy as in
/// the RTL's dump.
inline std::vector<std::vector<std::string>> scopes_of(twin::Kind kind) {
  std::vector<std::vector<std::string>> scopes;
  if (kind != twin::Kind::kRtl) scopes.push_back({"model"});
  if (kind != twin::Kind::kModel) scopes.push_back({"rtl", "top"});
  return scopes;
}

/// Adds the hit counts of `points` to `sum`. Both lists hold the same cover points, from two parts of one run.
inline void add(std::vector<Cover::Point>& sum, const std::vector<Cover::Point>& points) {
  if (sum.empty()) {
    sum = points;
    return;
  }
  CASTOR_ASSERT(sum.size() == points.size(), "cover points change during a run");
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i].hits += points[i].hits;
}

/// Returns the default parameters, overridden by `values`. Throws InputError for an unknown parameter name or an
/// illegal value.
template <class Block>
typename Block::Params with_values(const twin::ParamValues& values) {
  typename Block::Params params;
  for (const auto& [wanted, value] : values) {
    bool known = false;
    std::string names;
    Block::Params::each([&, name = std::string_view(wanted), number = value](const twin::Param& param, auto member) {
      names += (names.empty() ? "" : ", ") + std::string(param.name);
      if (param.name != name) return;
      params.*member = number;
      known = true;
    });
    if (!known) {
      throw base::InputError(std::string(Block::kBlock) + ": no parameter '" + base::printable(wanted) + "'",
                             "parameters are " + names);
    }
  }
  params.check();
  return params;
}

}  // namespace detail

/// Returns the block's entry for `castor cosim`. BenchT is Bench<Block> or a class derived from Bench<Block>.
template <class BenchT>
BlockEntry make_entry() {
  using Block = typename BenchT::Block;
  BlockEntry entry;
  entry.name = Block::kBlock;
  entry.meaning = Block::kMeaning;
  entry.sequences = BenchT::sequences();
  entry.least_cover = BenchT::kLeastCover;
  entry.describe = [](const twin::ParamValues& values) { return describe<Block>(detail::with_values<Block>(values)); };
  entry.run = [entry](const CosimRequest& request, const std::function<void(base::Cycle)>& progress) {
    const twin::Kind kind = twin::parse_kind(request.engine);
    const auto params = detail::with_values<Block>(request.values);
    const auto sequence = BenchT::make(
        request.sequence.empty() ? std::string(entry.sequences.at(0).name) : request.sequence, params, request.seed);
    CosimResult result;
    const std::string model_wave = request.wave + ".model", rtl_wave = request.wave + ".rtl";
    const bool waves = !request.wave.empty(), inside = waves && kind != twin::Kind::kModel && request.wave_depth > 0;
    std::string window_model;
    auto begin = std::chrono::steady_clock::now();
    {
      twin::RtlOptions rtl;
      rtl.seed = request.seed;
      rtl.coverage = request.coverage;
      rtl.wave_from = request.wave_from;
      rtl.wave_to = request.wave_to;
      rtl.wave_depth = request.wave_depth;
      if (inside) rtl.wave = rtl_wave;
      std::unique_ptr<twin::PortWaves<Block>> ports;
      std::unique_ptr<twin::Twin<Block>> machine;
      std::unique_ptr<BenchT> bench;
      try {  // model and RTL may already differ in reset
        machine =
            twin::make_twin<Block>(kind, params, *request.rtl, rtl,
                                   {request.seed, replay_line(entry, request), request.window ? request.dump : ""});
        if (waves && !inside) {
          ports = std::make_unique<twin::PortWaves<Block>>(request.wave, detail::scopes_of(kind), params);
        } else if (waves && kind != twin::Kind::kRtl) {
          ports = std::make_unique<twin::PortWaves<Block>>(model_wave, detail::scopes_of(twin::Kind::kModel), params);
        }
        begin = std::chrono::steady_clock::now();  // excludes the time spent on building the RTL
        bench = std::make_unique<BenchT>(*machine);
        const auto watch = [&](twin::Cycle cycle, const auto& in, const auto& out, const auto& seen) {
          const auto probes = seen.probes();
          bench->watch(in, out, probes);
          if (ports != nullptr && cycle >= request.wave_from && cycle < request.wave_to) {
            ports->cycle(cycle, in, out, probes);
          }
        };
        const base::Cycle skip_before = !request.skip ? 0 : waves ? request.wave_from : base::kForever;
        // A reset replaces the bench, since its cover points must not compare cycles across the reset.
        base::Cycle reset_at = 0;
        const auto restart = [&](twin::Cycle at) {
          result.longest = std::max(result.longest, at - reset_at);
          reset_at = at;
          bench->finish();
          detail::add(result.cover, bench->cover().points());
          bench = std::make_unique<BenchT>(*machine);
        };
        const auto tell = [&](base::Cycle at) {
          result.cycles = at;
          progress(at);
        };
        result.skipped = run_until<Block>(*machine, *sequence, request.cycles, skip_before, watch, restart, tell);
        result.cycles = request.cycles;
        result.longest = std::max(result.longest, result.cycles - reset_at);
        bench->finish();
        if (ports != nullptr) ports->close();
      } catch (const twin::MismatchError& error) {
        result.cycles = error.mismatch().cycle;
        result.mismatch = error.what();
        result.differs = true;
        // The waves that the mismatch itself writes include the differing cycle, which is missing in the port waves
        // above.
        if (request.window && !error.mismatch().waves.empty()) {
          std::remove(model_wave.c_str());
          window_model = error.mismatch().waves.at(0);
          std::remove(error.mismatch().waves.at(1).c_str());
        }
      } catch (const base::InputError&) {
        throw;
      } catch (const base::Error& error) {  // an assertion of the RTL failed
        result.mismatch = std::string(error.what()) + "\n  replay: " + replay_line(entry, request);
      }
      if (bench != nullptr) detail::add(result.cover, bench->cover().points());
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (inside) {
      std::vector<twin::VcdSource> sources;
      if (kind != twin::Kind::kRtl) sources.push_back({window_model.empty() ? model_wave : window_model, "model"});
      sources.push_back({rtl_wave, "rtl"});
      twin::merge_vcd(sources, request.wave);
      for (const twin::VcdSource& source : sources) std::remove(source.path.c_str());
    }
    return result;
  };
  return entry;
}

}  // namespace castor::tb
