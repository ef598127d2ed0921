#include "workloads/lax/workloads.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/replay/service.h"

namespace castor::workloads::lax {
namespace {

// Converts a time in hundredths of a microsecond to core cycles.
constexpr std::uint32_t centi_us(std::uint64_t value) { return static_cast<std::uint32_t>(cycles_of_centi_us(value)); }

// Registers are the published context per thread in words, rounded up. Calibration changed two of them, which are
// commented below.
KernelType kernel(const char* name, std::uint32_t threads, std::uint32_t tb_threads, std::uint32_t registers,
                  std::uint32_t service) {
  KernelType type;
  type.name = name;
  type.threads = tb_threads;
  type.registers = registers;
  type.tbs = threads / tb_threads;
  type.service = service;
  return type;
}

// Published: 562.4 KB, which is 141 words per thread and one TB per SM. With 84 words, three TBs fit an SM, as the
// measured capacity under round robin requires in LSTM, GRU and VAN alike.
constexpr std::uint32_t kGemmRegisters = 84;
// Published: 195.5 KB, which is 25 words per thread and nine TBs per SM; no job would then finish in time. 64 words let
// four TBs onto an SM.
constexpr std::uint32_t kGmmRegisters = 64;

constexpr std::uint32_t kGemm = centi_us(12748);

Workload network(const char* name, std::uint64_t w0, std::vector<Network> networks) {
  Workload out;
  out.name = name;
  out.deadline = cycles_of_centi_us(700000);
  out.rates = {3000, 5000, 8000};
  out.w0 = w0;
  out.networks = std::move(networks);
  return out;
}

Workload single(const char* name, std::uint64_t deadline_us, std::array<std::uint64_t, 3> rates, std::uint64_t w0,
                KernelType type) {
  Workload out;
  out.name = name;
  out.deadline = cycles_of_centi_us(100 * deadline_us);
  out.rates = rates;
  out.w0 = w0;
  out.single = std::move(type);
  return out;
}

std::vector<Workload> make() {
  // The time of the matrix product grows with the number of gates and the square of the hidden size. The published
  // value is that of an LSTM with 128 units.
  const Network lstm{"lstm", kGemm, 3, 3};
  const Network gru{"gru", kGemm / 4 * 3, 2, 2};
  const Network gru256{"gru256", kGemm * 3, 2, 2};
  const Network vanilla{"van", kGemm / 4, 1, 1};
  const Network vanilla256{"van256", kGemm, 1, 1};
  std::vector<Workload> out;
  out.push_back(network("LSTM", 220, {lstm}));
  out.push_back(network("GRU", 220, {gru}));
  out.push_back(network("VAN", 220, {vanilla256}));
  out.push_back(network("HYBRID", 220, {lstm, gru256}));
  out.push_back(single("IPV6", 40, {16000, 32000, 64000}, 218, kernel("ipv6", 8192, 256, 11, centi_us(2500))));
  out.push_back(single("CUCKOO", 600, {3000, 5000, 8000}, 205, kernel("cuckoo", 8192, 256, 18, centi_us(30000))));
  out.push_back(
      single("GMM", 3000, {8000, 16000, 32000}, 320, kernel("gmm", 2048, 256, kGmmRegisters, centi_us(150000))));
  out.push_back(single("STEM", 300, {16000, 32000, 64000}, 256, kernel("stem", 4096, 256, 20, centi_us(15000))));
  out.push_back(network("VAN128", 220, {vanilla}));
  return out;
}

enum Common : unsigned { kTensor1, kTensor2, kTensor3, kTensor4, kActivation, kCommon };

void common_kernels(JobStream& stream) {
  stream.types.push_back(kernel("tensor1", 16384, 256, 7, centi_us(396)));
  stream.types.push_back(kernel("tensor2", 128, 64, 7, centi_us(179)));
  stream.types.push_back(kernel("tensor3", 2048, 256, 14, centi_us(445)));
  stream.types.push_back(kernel("tensor4", 64, 64, 37, centi_us(474)));
  stream.types.push_back(kernel("activation", 128, 64, 23, centi_us(887)));
}

// Returns the kernels of a job. Their order is our choice: kernels with a fixed number of calls first, then per time
// step the product, tensor and activation kernels.
std::vector<KernelCall> chain(const JobStream& stream, const Network& network, unsigned gemm, unsigned steps) {
  std::vector<KernelCall> calls;
  const auto add = [&](unsigned type, unsigned times) {
    calls.insert(calls.end(), times, KernelCall{type, stream.types[type].tbs});
  };
  add(kTensor1, 3);
  add(kTensor2, 5);
  add(kTensor3, 2);
  add(kTensor4, 1);
  for (unsigned step = 0; step < steps; ++step) {
    add(gemm, 1);
    add(kTensor4, network.tensor_per_step);
    add(kActivation, network.activation_per_step);
  }
  return calls;
}

// Distribution of the number of time steps. Lengths are rounded to whole steps; mu is chosen so that the mean of the
// distribution truncated to 1 to 60 is 16.
constexpr std::array<std::uint64_t, kMaxSteps> kSteps = {
    108907,     3840442,    25830798,   85816812,   195871540,  356555352,  559972250,  794266682,  1047037931,
    1307268769, 1566121445, 1817049365, 2055564493, 2278872452, 2485491120, 2674907483, 2847292771, 3003277874,
    3143782878, 3269891644, 3382762198, 3483564645, 3573439730, 3653472553, 3724677175, 3787988901, 3844261844,
    3894270007, 3938710621, 3978208820, 4013323047, 4044550727, 4072333943, 4097064904, 4119091120, 4138720188,
    4156224189, 4171843679, 4185791282, 4198254920, 4209400683, 4219375394, 4228308873, 4236315948, 4243498227,
    4249945661, 4255737924, 4260945627, 4265631387, 4269850765, 4273653094, 4277082208, 4280177082, 4282972393,
    4285499017, 4287784466, 4289853272, 4291727326, 4293426177, 4294967296};

}  // namespace

std::optional<Rate> find_rate(std::string_view name) {
  for (std::size_t i = 0; i < kRateNames.size(); ++i) {
    if (name == kRateNames[i]) return static_cast<Rate>(i);
  }
  return std::nullopt;
}

unsigned Network::kernels(unsigned steps) const { return steps * (1 + tensor_per_step + activation_per_step) + 11; }

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all = make();
  return all;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Workload& workload : workloads()) names.push_back(workload.name);
  return names;
}

const Workload* find_workload(std::string_view name) {
  for (const Workload& workload : workloads()) {
    if (workload.name == name) return &workload;
  }
  return nullptr;
}

std::vector<Cycle> arrival_times(const Arrivals& arrivals) {
  __extension__ using Wide = unsigned __int128;
  CASTOR_ASSERT(arrivals.per_second > 0);
  base::Xoshiro256 random(arrivals.seed);
  std::vector<Cycle> times;
  times.reserve(arrivals.jobs);
  Wide sum = 0;  // sum of -ln(u) x 2^32
  for (unsigned i = 0; i < arrivals.jobs; ++i) {
    std::uint64_t u = random();
    while (u == 0) u = random();
    sum += gpu::detail::minus_ln(u);
    times.push_back(static_cast<Cycle>((sum * kCyclesPerSecond / arrivals.per_second) >> 32U));
  }
  return times;
}

const std::array<std::uint64_t, kMaxSteps>& steps_distribution() { return kSteps; }

unsigned draw_steps(base::Xoshiro256& random) {
  const std::uint64_t u = random() >> 32U;
  return static_cast<unsigned>(std::upper_bound(kSteps.begin(), kSteps.end(), u) - kSteps.begin()) + 1;
}

JobStream kernels_of(const Workload& workload) {
  JobStream stream;
  stream.name = workload.name;
  stream.w0 = workload.w0;
  if (workload.single) {
    stream.types.push_back(*workload.single);
  } else {
    common_kernels(stream);
    for (const Network& network : workload.networks) {
      stream.types.push_back(kernel(("gemm_" + network.name).c_str(), 1024, 256, kGemmRegisters, network.gemm_service));
    }
  }
  return stream;
}

Job make_job(const Workload& workload, const JobStream& kernels, unsigned variant, unsigned steps) {
  Job job;
  job.deadline = workload.deadline;
  job.variant = variant;
  if (workload.single) {
    job.kernels = {{0, workload.single->tbs}};
  } else {
    job.kernels = chain(kernels, workload.networks[variant], kCommon + variant, steps);
  }
  return job;
}

JobStream generate(const Workload& workload, const Arrivals& arrivals) {
  JobStream stream = kernels_of(workload);
  base::Xoshiro256 lengths(arrivals.seed ^ 0x6c656e67746873ULL);
  base::Xoshiro256 variants(arrivals.seed ^ 0x76617269616e74ULL);
  for (const Cycle time : arrival_times(arrivals)) {
    const unsigned steps = workload.single ? 0 : draw_steps(lengths);
    const auto variant = static_cast<unsigned>(variants.below(workload.networks.size()));
    Job job = make_job(workload, stream, variant, steps);
    job.arrival = time;
    stream.jobs.push_back(std::move(job));
  }
  return stream;
}

}  // namespace castor::workloads::lax
