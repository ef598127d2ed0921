// Names and descriptions of error codes, as in CUDA.

#include "cuda_runtime_api.h"
#include "runtime/session.h"

namespace {

/// Name and description of an error code.
struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrors[] = {
#define CASTOR_ERROR(code, text) {code, #code, text},
#include "castor_cuda/error_texts.inc"
#undef CASTOR_ERROR
};

const ErrorText* find(cudaError_t code) {
  for (const ErrorText& error : kErrors) {
    if (error.code == code) return &error;
  }
  return nullptr;
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = cudaPeekAtLastError();
  castor::runtime::last_error() = cudaSuccess;
  return error;
}

// Returns the last error, or else the error of a faulted device, which stays until the device is reset.
cudaError_t cudaPeekAtLastError(void) {
  const cudaError_t last = castor::runtime::last_error();
  return last != cudaSuccess ? last : castor::runtime::Session::instance().sticky_error();
}

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* const found = find(error);
  return found == nullptr ? "unrecognized error code" : found->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* const found = find(error);
  return found == nullptr ? "unrecognized error code" : found->text;
}

}  // extern "C"
