// A small stack machine, one thread per input. It uses a switch over the operations, which the compiler may turn into a
// branch table, a stack in local memory, functions called through pointers in a __device__ table, assert, and, with
// --trace 1, a printf per instruction of thread 0.
#include <cuda_runtime.h>

#include <cassert>

#include "common/program.h"

using namespace kernels;

enum Operation : unsigned char {
  kPush,
  kInput,
  kAdd,
  kSub,
  kMul,
  kDup,
  kSwap,
  kJumpIfNot,
  kJump,
  kCall,
  kDrop,
  kXor,
  kShift,
  kEnd
};

struct Instruction {
  Operation operation;
  unsigned char line;
  short argument;
};

constexpr int kStack = 16;
constexpr int kMaxCode = 64;

__constant__ Instruction code[kMaxCode];

typedef unsigned (*Function)(unsigned);

__host__ __device__ inline unsigned collatz(unsigned x) { return x % 2 == 0 ? x / 2 : 3 * x + 1; }
__host__ __device__ inline unsigned digits(unsigned x) {
  unsigned sum = 0;
  for (; x != 0; x /= 10) sum += x % 10;
  return sum;
}
__host__ __device__ inline unsigned mix(unsigned x) { return (x ^ x >> 15) * 0x2c1b3c6du; }

__device__ Function device_functions[3] = {collatz, digits, mix};
const Function host_functions[3] = {collatz, digits, mix};

__global__ void run(const unsigned* inputs, unsigned* results, unsigned* steps, int n, bool trace) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned stack[kStack], count = 0;
  int top = 0, pc = 0;  // stack[top - 1] is the topmost value
  for (bool going = true; going; ++count) {
    const Instruction now = code[pc++];
    if (trace && i == 0) printf("%u: %d %d, %d on the stack\n", count, now.operation, now.argument, top);
    assert(top >= 0 && top < kStack);
    switch (now.operation) {
      case kPush:
        stack[top++] = now.argument;
        break;
      case kInput:
        stack[top++] = inputs[i];
        break;
      case kAdd:
        --top;
        stack[top - 1] += stack[top];
        break;
      case kSub:
        --top;
        stack[top - 1] -= stack[top];
        break;
      case kMul:
        --top;
        stack[top - 1] *= stack[top];
        break;
      case kDup:
        stack[top] = stack[top - 1];
        ++top;
        break;
      case kSwap: {
        const unsigned t = stack[top - 1];
        stack[top - 1] = stack[top - 2];
        stack[top - 2] = t;
        break;
      }
      case kJumpIfNot:
        if (stack[--top] == 0) pc = now.argument;
        break;
      case kJump:
        pc = now.argument;
        break;
      case kCall:
        stack[top - 1] = device_functions[now.argument](stack[top - 1]);
        break;
      case kDrop:
        --top;
        break;
      case kXor:
        --top;
        stack[top - 1] ^= stack[top];
        break;
      case kShift:
        stack[top - 1] >>= now.argument;
        break;
      case kEnd:
        going = false;
        break;
    }
  }
  results[i] = stack[top - 1];
  steps[i] = count;
}

int main(int argc, char** argv) {
  long n = 500, trace = 0, seed = 1;
  Options options("bytecode_vm", "a stack machine that runs one program on many inputs");
  options.add("n", &n, 1, 1 << 20, "inputs");
  options.add("trace", &trace, 0, 1, "1 prints what thread 0 does");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  // Counts the Collatz steps from (input >> 20) + 1 down to 1, then combines the count with the digit sum of the input.
  const Instruction program[] = {
      {kPush, 0, 0},   {kInput, 1, 0},  {kShift, 2, 20}, {kPush, 3, 1},       {kAdd, 4, 0},     // count, x
      {kDup, 5, 0},    {kPush, 6, 1},   {kSub, 7, 0},    {kJumpIfNot, 8, 14},                   // x == 1: out
      {kCall, 9, 0},   {kSwap, 10, 0},  {kPush, 11, 1},  {kAdd, 12, 0},       {kJump, 13, 21},  // x, count + 1
      {kDrop, 14, 0},  {kInput, 15, 0}, {kCall, 16, 1},  {kPush, 17, 257},    {kMul, 18, 0},   {kXor, 19, 0},  // digits
      {kJump, 20, 23}, {kSwap, 21, 0},  {kJump, 22, 5},  {kCall, 23, 2},      {kEnd, 24, 0}};
  CUDA_CHECK(cudaMemcpyToSymbol(code, program, sizeof program));

  Random random(seed);
  std::vector<unsigned> inputs(n), expected(n), expected_steps(n);
  for (long i = 0; i < n; ++i) {
    inputs[i] = static_cast<unsigned>(random.next());
    unsigned count = 0;
    for (unsigned x = (inputs[i] >> 20) + 1; x != 1; x = host_functions[0](x)) ++count;
    expected[i] = host_functions[2](count ^ host_functions[1](inputs[i]) * 257);
    expected_steps[i] = 5 + count * 11 + 4 + 7 + 2;
  }
  DeviceArray<unsigned> device_inputs(inputs), results(n), steps(n);
  run<<<blocks_for(n, 64), 64>>>(device_inputs.get(), results.get(), steps.get(), n, trace != 0);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  Verdict verdict(options);
  verdict.equal("results", results.download(), expected);
  verdict.equal("steps", steps.download(), expected_steps);
  return verdict.finish();
}
