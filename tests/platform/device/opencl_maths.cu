// The maths functions of OpenCL C in every binade, against the C library's in long double: opencl_maths <PTX of
// opencl_maths.cl>. Bounds in ulp are those of the OpenCL C 1.2 specification, table 7.4 and 9.3.9; results that are
// subnormal may be flushed to zero in single precision. lgamma has no bound there: ours, away from its zeros. Vectors
// give what their elements give.
#include <cuda.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

using Wide = long double;
using Reference = Wide (*)(Wide);

constexpr Wide kPi = 3.14159265358979323846264338327950288L;

// sin(pi x) and cos(pi x) with exact zeros.
Wide sine_of_turns(Wide x) {
  const Wide r = std::remainder(x, 2.0L);
  if (r == std::rint(r)) return std::copysign(0.0L, x);
  return std::sin(kPi * (std::fabs(r) > 0.5L ? std::copysign(1.0L, r) - r : r));
}
Wide cosine_of_turns(Wide x) {
  const Wide r = std::fabs(std::remainder(x, 2.0L));
  return r == 0.5L ? 0.0L : std::sin(kPi * (0.5L - r));
}
Wide tangent_of_turns(Wide x) { return sine_of_turns(x) / cosine_of_turns(x); }
Wide sign_of_gamma(Wide x) {
  if (std::isnan(x) || x > 0) return 1.0L;
  if (x == 0) return std::copysign(1.0L, x);
  return x == std::floor(x) ? 0.0L : std::fmod(std::floor(x), 2.0L) == 0 ? 1.0L : -1.0L;
}

struct Function {
  const char* name;
  Reference exact;
  double bound;  ///< ulp
  bool vectors = true;
  const char* only = "fd";
};
#define F(name) [](Wide x) -> Wide { return name(x); }
const Function kFunctions[] = {
    {"acos", F(std::acos), 4},
    {"acosh", F(std::acosh), 4},
    {"acospi", [](Wide x) { return std::acos(x) / kPi; }, 5},
    {"asin", F(std::asin), 4},
    {"asinh", F(std::asinh), 4},
    {"asinpi", [](Wide x) { return std::asin(x) / kPi; }, 5},
    {"atan", F(std::atan), 5},
    {"atanh", F(std::atanh), 5},
    {"atanpi", [](Wide x) { return std::atan(x) / kPi; }, 5},
    {"cbrt", F(std::cbrt), 2},
    {"cos", F(std::cos), 4},
    {"cosh", F(std::cosh), 4},
    {"cospi", cosine_of_turns, 4},
    {"erf", F(std::erf), 16},
    {"erfc", F(std::erfc), 16},
    {"exp", F(std::exp), 3},
    {"exp2", F(std::exp2), 3},
    {"exp10", [](Wide x) -> Wide { return exp10l(x); }, 3},
    {"expm1", F(std::expm1), 3},
    {"lgamma", F(std::lgamma), 128},
    {"log", F(std::log), 3},
    {"log2", F(std::log2), 3},
    {"log10", F(std::log10), 3},
    {"log1p", F(std::log1p), 2},
    {"rsqrt", [](Wide x) { return 1 / std::sqrt(x); }, 2},
    {"sin", F(std::sin), 4},
    {"sinh", F(std::sinh), 4},
    {"sinpi", sine_of_turns, 4},
    {"sqrt", F(std::sqrt), 3},
    {"tan", F(std::tan), 5},
    {"tanh", F(std::tanh), 5},
    {"tanpi", tangent_of_turns, 6},
    {"tgamma", F(std::tgamma), 16},
    {"sine", F(std::sin), 4, false},
    {"cosine", F(std::cos), 4, false},
    {"sign_of_gamma", sign_of_gamma, 0, false, "f"},
};

template <class T>
double steps(T got, Wide exact) {
  using Limits = std::numeric_limits<T>;
  const T right = static_cast<T>(exact);
  if ((std::isnan(exact) && std::isnan(got)) || right == got) return 0;
  if (!std::isfinite(right) || !std::isfinite(got)) {
    // A bound of some ulp may round to infinity, or stop before it.
    return std::fabs(exact) >= Limits::max() * (1 - 20 * Wide{Limits::epsilon()}) && std::fabs(got) >= Limits::max() &&
                   std::signbit(got) == std::signbit(right)
               ? 0
               : INFINITY;
  }
  if (sizeof(T) == 4 && std::fabs(exact) < Limits::min() && got == 0) return 0;
  int exponent = 0;
  std::frexp(exact, &exponent);
  exponent = std::max(exact == 0 ? -20000 : exponent, Limits::min_exponent);
  return static_cast<double>(std::fabs(static_cast<Wide>(got) - exact) / std::ldexp(1.0L, exponent - Limits::digits));
}

// Both signs of some values in every binade (single precision) or every fifth (double), ordinary values, and edges. A
// multiple of the 34 that a work-item of a vector kernel takes.
template <class T>
std::vector<T> arguments() {
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(5);
  const auto fraction = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<T> x;
  for (int e = Limits::min_exponent; e < Limits::max_exponent; e += sizeof(T) == 4 ? 1 : 5) {
    for (int k = 0; k < 12; ++k) x.push_back(std::ldexp(static_cast<T>((k % 2 ? 1 : -1) * (0.5 + fraction() / 2)), e));
  }
  for (int k = 0; k < 2000; ++k) x.push_back(static_cast<T>(fraction() * 360 - 180));
  for (int k = -400; k < 400; ++k) x.push_back(static_cast<T>(k * 0.125));
  for (const T v : {T{0}, Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::min(), T{1}, T{710}, T{89}}) {
    x.insert(x.end(), {v, -v});
  }
  x.resize(x.size() / 34 * 34 + 34, T{1});
  return x;
}

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::printf("%s: error %d\n", what, static_cast<int>(result));
  std::exit(1);
}

template <class T>
std::vector<T> run(CUmodule module, const std::string& kernel, const std::vector<T>& x, int values_per_item) {
  CUfunction function;
  check(cuModuleGetFunction(&function, module, kernel.c_str()), kernel.c_str());
  CUdeviceptr in, out;
  const std::size_t bytes = x.size() * sizeof(T);
  check(cuMemAlloc(&in, bytes), "cuMemAlloc");
  check(cuMemAlloc(&out, bytes), "cuMemAlloc");
  check(cuMemcpyHtoD(in, x.data(), bytes), "cuMemcpyHtoD");
  int n = static_cast<int>(x.size());
  void* parameters[] = {&in, &out, &n};
  const unsigned items = static_cast<unsigned>(n / values_per_item);
  check(cuLaunchKernel(function, (items + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr),
        kernel.c_str());
  std::vector<T> result(x.size());
  check(cuMemcpyDtoH(result.data(), out, bytes), kernel.c_str());
  cuMemFree(in);
  cuMemFree(out);
  return result;
}

// Number of wrong results.
template <class T>
int compare(CUmodule module, const char* prefix) {
  const std::vector<T> x = arguments<T>();
  int wrong = 0;
  for (const Function& function : kFunctions) {
    if (std::strchr(function.only, prefix[0]) == nullptr) continue;
    const std::string kernel = std::string(prefix) + function.name;
    const std::vector<T> got = run(module, kernel, x, 1);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = steps(got[i], function.exact(x[i]));
      worst = std::max(worst, error);
      if (error > function.bound && ++wrong <= 20) {
        std::printf("%s(%a) is %a, exactly %.20Lg: %g ulp\n", kernel.c_str(), x[i], got[i], function.exact(x[i]),
                    error);
      }
    }
    if (function.vectors) {
      const std::vector<T> by_vectors = run(module, kernel + "_v", x, 34);
      if (std::memcmp(by_vectors.data(), got.data(), got.size() * sizeof(T)) != 0) {
        std::printf("%s: vectors give other results\n", kernel.c_str());
        ++wrong;
      }
    }
    std::printf("%-14s %.2f ulp\n", kernel.c_str(), worst);
  }
  return wrong;
}

int main(int count, char** words) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuCtxCreate(&context, 0, device), "cuCtxCreate");
  check(cuModuleLoad(&module, count > 1 ? words[1] : "opencl_maths.ptx"), "cuModuleLoad");
  const int wrong = compare<float>(module, "f_") + compare<double>(module, "d_");
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
