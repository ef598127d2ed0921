// Global alignment of pairs of sequences (Needleman and Wunsch). The scores of a tile are in shared memory and are
// computed diagonal by diagonal, with one thread per column and a barrier per diagonal. One launch computes all tiles
// on one diagonal of the score table, for all pairs.
#include <cuda_runtime.h>

#include "common/program.h"

using namespace kernels;

constexpr int kRows = 32;     // rows of a tile
constexpr int kLetters = 24;  // letters of the alphabet

__constant__ int likeness[kLetters * kLetters];

// `score`: for each pair a table of (rows + 1) x (columns + 1), with row 0 and column 0 given. A tile is blockDim.x
// columns wide.
__global__ void align(const unsigned char* down, const unsigned char* across, int* score, int rows, int columns,
                      int diagonal, int penalty) {
  extern __shared__ int cell[];  // kRows + 1 rows of the tile's scores
  __shared__ int letter[kRows];
  // The spare column avoids bank conflicts on a diagonal
  const int t = threadIdx.x, wide = blockDim.x, pitch = wide + 2;
  const int tiles_across = (columns + wide - 1) / wide;
  const int tile_row = max(0, diagonal - (tiles_across - 1)) + static_cast<int>(blockIdx.x);
  const int left = (diagonal - tile_row) * wide, top = tile_row * kRows, stride = columns + 1;
  const long pair = blockIdx.y;
  int* const corner = &score[pair * (rows + 1) * stride + static_cast<long>(top) * stride + left];
  const bool inside = left + t < columns;
  const int high = min(kRows, rows - top);
  const int mine = inside ? across[pair * columns + left + t] : 0;
  if (inside) cell[t + 1] = corner[t + 1];
  if (t == 0) cell[0] = corner[0];
  for (int y = t; y < high; y += wide) {
    letter[y] = down[pair * rows + top + y];
    cell[(y + 1) * pitch] = corner[(y + 1) * stride];
  }
  for (int step = 0; step < high + wide - 1; ++step) {
    __syncthreads();
    const int y = step - t;
    if (!inside || y < 0 || y >= high) continue;
    int* const here = &cell[(y + 1) * pitch + t + 1];
    const int gap = max(here[-1], here[-pitch]) - penalty;
    *here = max(gap, here[-pitch - 1] + likeness[letter[y] * kLetters + mine]);
  }
  __syncthreads();
  if (!inside) return;
  for (int y = 1; y <= high; ++y) corner[y * stride + t + 1] = cell[y * pitch + t + 1];
}

int main(int argc, char** argv) {
  long rows = 70, columns = 90, pairs = 2, tile = 64, penalty = 10, seed = 1;
  Options options("needleman_wunsch", "scores of the global alignment of pairs of sequences");
  options.add("rows", &rows, 1, 4096, "letters of the first sequence of a pair");
  options.add("columns", &columns, 1, 4096, "letters of the second sequence");
  options.add("pairs", &pairs, 1, 65535, "pairs");
  options.add("tile", &tile, 1, 256, "columns of a tile, threads of a block");
  options.add("penalty", &penalty, 0, 1000, "cost of a gap");
  options.add("seed", &seed, 0, INT32_MAX, "seed of the sequences");
  options.parse(argc, argv);

  // The similarity matrix is symmetric with its largest values on the diagonal. Every fourth letter of the second
  // sequence differs from the first sequence.
  Random random(seed);
  std::vector<int> like(kLetters * kLetters);
  for (int a = 0; a < kLetters; ++a) {
    for (int b = 0; b <= a; ++b) {
      like[a * kLetters + b] = like[b * kLetters + a] =
          static_cast<int>(a == b ? random.range(4, 11) : random.range(-4, 3));
    }
  }
  CUDA_CHECK(cudaMemcpyToSymbol(likeness, like.data(), like.size() * sizeof(int)));
  std::vector<unsigned char> down(pairs * rows), across(pairs * columns);
  for (unsigned char& letter : down) letter = static_cast<unsigned char>(random.range(0, kLetters - 1));
  for (long i = 0; i < pairs * columns; ++i) {
    const long pair = i / columns, x = i % columns;
    across[i] = x < rows && random.range(0, 3) != 0 ? down[pair * rows + x]
                                                    : static_cast<unsigned char>(random.range(0, kLetters - 1));
  }
  const long stride = columns + 1, size = (rows + 1) * stride;
  std::vector<int> score(pairs * size, 0);
  for (long pair = 0; pair < pairs; ++pair) {
    for (long x = 0; x <= columns; ++x) score[pair * size + x] = static_cast<int>(-x * penalty);
    for (long y = 0; y <= rows; ++y) score[pair * size + y * stride] = static_cast<int>(-y * penalty);
  }
  DeviceArray<unsigned char> device_down(down), device_across(across);
  DeviceArray<int> device_score(score);
  const int tiles_down = blocks_for(rows, kRows), tiles_across = blocks_for(columns, tile);
  const std::size_t shared = (kRows + 1) * (tile + 2) * sizeof(int);
  for (int diagonal = 0; diagonal < tiles_down + tiles_across - 1; ++diagonal) {
    const int first = std::max(0, diagonal - (tiles_across - 1)), last = std::min(diagonal, tiles_down - 1);
    align<<<dim3(last - first + 1, static_cast<unsigned>(pairs)), static_cast<unsigned>(tile), shared>>>(
        device_down.get(), device_across.get(), device_score.get(), static_cast<int>(rows), static_cast<int>(columns),
        diagonal, static_cast<int>(penalty));
    CUDA_CHECK(cudaGetLastError());
  }

  for (long pair = 0; pair < pairs; ++pair) {
    for (long y = 1; y <= rows; ++y) {
      for (long x = 1; x <= columns; ++x) {
        int* const here = &score[pair * size + y * stride + x];
        const int match = like[down[pair * rows + y - 1] * kLetters + across[pair * columns + x - 1]];
        *here = std::max({here[-stride - 1] + match, here[-1] - static_cast<int>(penalty),
                          here[-stride] - static_cast<int>(penalty)});
      }
    }
  }
  Verdict verdict(options);
  verdict.equal("scores", device_score.download(), score);
  return verdict.finish();
}
