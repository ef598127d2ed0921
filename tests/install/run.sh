#!/bin/bash
# Installs a built Castor into a scratch prefix, moves it elsewhere, and builds and runs the consumer against it: what
# the package says must not depend on where it was built or installed first.
#
#   tests/install/run.sh <build folder> <C++ compiler>
set -euo pipefail

here="$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
build="$1"
compiler="$2"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
if command -v ccache >/dev/null; then  # relative to the scratch folder all paths are as in the last run
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$scratch" CCACHE_NOHASHDIR=1
fi

cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }
mv "$scratch/first" "$scratch/castor"

if grep -rlI -e "$build" -e "$scratch/first" "$scratch/castor"; then
  echo "the files above name the folder that Castor was built or installed in"
  exit 1
fi

# What shells and man look for.
for page in castor castor-run castor-list castor-area castor-cc; do
  test -s "$scratch/castor/share/man/man1/$page.1" || { echo "no man page $page"; exit 1; }
done
offered="$(PATH="$scratch/castor/bin:$PATH" bash -c '
  source "$1/share/bash-completion/completions/castor"
  COMP_WORDS=(castor elab) COMP_CWORD=1
  _castor 2> /dev/null
  echo "${COMPREPLY[@]}"' bash "$scratch/castor")"
test "$offered" = elaborate || { echo "completion offers '$offered'"; exit 1; }

# The examples that are installed, as projects of their own: a block by its pins (its RTL too, where there is Verilator), and
# outside memory on the L2.
export CASTOR_CACHE="$scratch/cache"
for example in block_by_pins outside_memory; do
  cmake -S "$scratch/castor/share/castor/examples/$example" -B "$scratch/$example" -G Ninja \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$scratch/castor"
  cmake --build "$scratch/$example"
done
engines=(model)
command -v verilator >/dev/null && engines+=(rtl lockstep)
for engine in "${engines[@]}"; do
  said="$("$scratch/block_by_pins/block_by_pins" "$engine")"
  grep -q "verdict on queue 5 after 139 cycles: accepted" <<<"$said" || { echo "block_by_pins $engine: $said"; exit 1; }
done
"$scratch/outside_memory/outside_memory"
"$scratch/outside_memory/outside_memory" blocking
unset CASTOR_CACHE

cmake -S "$here/consumer" -B "$scratch/consumer" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$scratch/castor"
cmake --build "$scratch/consumer"
cd "$scratch/consumer"
ctest --output-on-failure --no-tests=error
