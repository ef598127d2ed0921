// Base64 (RFC 4648): a thread turns three words of data into four words of text with byte permutes and funnel shifts.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

__device__ unsigned letter(unsigned six) {
  if (six < 26) return 'A' + six;
  if (six < 52) return 'a' + six - 26;
  if (six < 62) return '0' + six - 52;
  return six == 62 ? '+' : '/';
}

// Encodes three bytes, in the low 24 bits of `bytes` with the first byte lowest. Returns four letters with the first
// letter in the low byte.
__device__ unsigned encode_three(unsigned bytes) {
  const unsigned bits = __byte_perm(bytes, 0, 0x4012);  // first byte becomes bits 23..16
  return letter(bits >> 18) | letter(bits >> 12 & 63) << 8 | letter(bits >> 6 & 63) << 16 | letter(bits & 63) << 24;
}

__global__ void encode(const unsigned* data, uint4* text, int groups) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  const unsigned a = data[3 * i], b = data[3 * i + 1], c = data[3 * i + 2];
  uint4 out;
  out.x = encode_three(a & 0xffffff);
  out.y = encode_three(__funnelshift_r(a, b, 24) & 0xffffff);
  out.z = encode_three(__funnelshift_r(b, c, 16) & 0xffffff);
  out.w = encode_three(c >> 8);
  text[i] = out;
}

// Writes the last four letters for the 1 or 2 bytes that remain after the last full group of three.
__global__ void pad(char* text, int bytes) {
  const int rest = bytes % 3, at = bytes / 3 * 4;
  if (rest == 0) return;
  text[at + 3] = '=';
  if (rest == 1) text[at + 2] = '=';
}

std::vector<unsigned char> decode(const std::string& text) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  unsigned bits = 0, held = 0;
  for (char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(alphabet.find(c) & 63);
    held += 6;
    if (held >= 8) bytes.push_back(static_cast<unsigned char>(bits >> (held -= 8)));
  }
  return bytes;
}

int main(int argc, char** argv) {
  long n = 5000, seed = 1;
  Options options("base64", "turns bytes into base64 text");
  options.add("n", &n, 1, 1 << 24, "bytes");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the data");
  options.parse(argc, argv);

  const int groups = blocks_for(n, 12);
  Random random(seed);
  std::vector<unsigned char> data(n), padded;
  for (unsigned char& byte : data) byte = static_cast<unsigned char>(random.next());
  const char* known = "Many hands make light work.";
  if (n == 27) std::copy(known, known + 27, data.begin());
  padded = data;
  padded.resize(groups * 12);
  DeviceArray<unsigned char> device_data(padded), text(groups * 16);
  encode<<<blocks_for(groups, 128), 128>>>(reinterpret_cast<unsigned*>(device_data.get()),
                                           reinterpret_cast<uint4*>(text.get()), groups);
  pad<<<1, 1>>>(reinterpret_cast<char*>(text.get()), n);
  CUDA_CHECK(cudaGetLastError());

  const std::vector<unsigned char> all = text.download();
  const std::string encoded(all.begin(), all.begin() + (n + 2) / 3 * 4);
  const std::size_t equals = std::count(encoded.begin(), encoded.end(), '=');
  Verdict verdict(options);
  verdict.equal("decoded bytes", decode(encoded), data);
  verdict.equal("padding", equals, static_cast<std::size_t>((3 - n % 3) % 3));
  if (n == 27) verdict.holds("known text", encoded == "TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsu");
  return verdict.finish();
}
