// Shared by the two files of a program whose device code is linked.
#pragma once

/// A table that each file has for itself, set by the host of each.
static __constant__ int local_table[2];
static __device__ int scaled(int x) { return x * local_table[1]; }

extern __device__ int counter;
extern __constant__ int factors[4];
__device__ int add(int x);
struct Shape {
  __device__ virtual int area() const;
  int side;
};

void run_second(int* out);
