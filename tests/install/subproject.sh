#!/bin/bash
# Configures a project that holds Castor as a subdirectory, in a folder of its own, and lists what it would build: the
# CUDA program of the outer project, none of Castor's own programs.
#
#   tests/install/subproject.sh <source folder of Castor> <C++ compiler>
set -euo pipefail

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cmake -S "$1/tests/install/subproject" -B "$scratch" -G Ninja -DCASTOR_SOURCE="$1" -DCMAKE_CXX_COMPILER="$2"
targets="$(ninja -C "$scratch" -t targets all)"
for wanted in saxpy models castor/bin/castor-cc castor/lib; do
  grep -q "^$wanted" <<<"$targets" || { echo "no $wanted"; exit 1; }
done
if grep -E '^castor/(tests|kernels)/.*: CXX_EXECUTABLE' <<<"$targets"; then
  echo "Castor brings its own programs into the project around it"
  exit 1
fi
