#!/bin/bash
# clang-tidy over the sources whose names it reads, one a line; each with its own command of the preset dev, which is
# configured for that and not built. Those without a command are left out.
#
#   git ls-files -- '*.cpp' | tests/tidy.sh [NUMBER N]      with NUMBER and N: every Nth, all of them in N runs
set -uo pipefail

cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")" || exit 1
number="${1:-0}"
count="${2:-1}"
build="$PWD/build/dev"
cmake --preset dev >/dev/null || exit 1
mapfile -t files < <(
  while read -r file; do
    if grep -qF "\"file\": \"$PWD/$file\"" "$build/compile_commands.json"; then echo "$file"; fi
  done | awk -v number="$number" -v count="$count" 'NR % count == number % count'
)
((${#files[@]} > 0)) || { echo "no sources"; exit 1; }
echo "${#files[@]} files"
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 --quiet -p "$build" \
  2> >(grep -v 'warnings\? generated' >&2)
