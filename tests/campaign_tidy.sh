#!/bin/bash
# clang-tidy over every Nth source: all of them in N runs.
#
#   tests/campaign_tidy.sh NUMBER N
set -euo pipefail

cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
number="$1"
count="$2"
build="$PWD/build/dev"
cmake --preset dev >/dev/null
mapfile -t files < <(
  git ls-files -- '*.cpp' | while read -r file; do
    if grep -qF "\"file\": \"$PWD/$file\"" "$build/compile_commands.json"; then echo "$file"; fi
  done | awk -v number="$number" -v count="$count" 'NR % count == number % count'
)
((${#files[@]} > 0)) || { echo "no sources"; exit 1; }
echo "${#files[@]} files"
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 --quiet -p "$build"
