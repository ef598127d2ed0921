#!/bin/bash
# Runs the CUDA programs of sw/kernels on two builds of Castor and compares what they print and report, byte for byte.
# The programs are those that the first build has compiled, at -O0 and at -O2; they meet the second build through the
# library path.
#
#   tests/compare_builds.sh <build folder> <other build folder>
set -euo pipefail

first="$(readlink -f "$1")"
second="$(readlink -f "$2")"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

library_folder() { dirname "$(find "$1" -name libcastor_cudart.so -print -quit)"; }
first_library="$(library_folder "$first")"
second_library="$(library_folder "$second")"
[[ -e $first_library/libcastor_cudart.so && -e $second_library/libcastor_cudart.so ]] ||
  { echo "no libcastor_cudart.so in one of the builds"; exit 1; }

run() {  # library folder, output prefix, program
  local status=0
  LD_LIBRARY_PATH="$1" CASTOR_REPORT="$2.json" "$3" >"$2.out" 2>"$2.err" || status=$?
  echo "exit code $status" >>"$2.out"
}

compared=0
differing=0
shopt -s nullglob
cd "$first/kernels"
for program in *; do
  [[ -f $program && -x $program ]] || continue
  # A program that ignored the library path would be compared with itself.
  LD_LIBRARY_PATH="$second_library" ldd "$program" | grep -q "$second_library/libcastor_cudart.so" ||
    { echo "$program does not follow LD_LIBRARY_PATH"; exit 1; }
  run "$first_library" "$scratch/first" "./$program"
  run "$second_library" "$scratch/second" "./$program"
  compared=$((compared + 1))
  for part in out err json; do
    [[ -e $scratch/first.$part || -e $scratch/second.$part ]] || continue
    if ! diff -u "$scratch/first.$part" "$scratch/second.$part" >"$scratch/difference"; then
      echo "$program: the $part differs"
      head -n 20 "$scratch/difference"
      differing=$((differing + 1))
    fi
  done
  rm -f "$scratch"/first.* "$scratch"/second.*
done
echo "$compared programs compared on two builds, $differing differences"
((compared > 0 && differing == 0))
