#!/bin/bash
# Holds tests/common/leaks_checked.sh against commands of every ending: only a crash of the leak checker is repeated, once.
#
#   leaks_checked_test.sh <leaks_checked.sh>
set -uo pipefail

runner="$1"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
wrong=0
crash='echo "==1==LeakSanitizer has encountered a fatal error." >&2'

# name, status expected, runs expected, body of a command that knows by $1 which of its runs it is
check() {
  local counter="$folder/$1" status=0 runs
  "$runner" bash -c 'echo run >>"$0"; set -- "$(wc -l <"$0")"; '"$4" "$counter" >"$folder/out" 2>&1 || status=$?
  runs="$(wc -l <"$counter")"
  if [[ $status != "$2" || $runs != "$3" ]]; then
    printf 'WRONG: %s: status %s and %s runs, not %s and %s\n' "$1" "$status" "$runs" "$2" "$3"
    cat "$folder/out"
    wrong=1
  fi
}

check good 0 1 'exit 0'
check bad 3 1 'exit 3'
check leaking 23 1 'echo "ERROR: LeakSanitizer: detected memory leaks" >&2; exit 23'
check says_so_and_is_good 0 1 "$crash; exit 0"
check crash_once 0 2 "(( \$1 > 1 )) || { $crash; exit 1; }"
check crash_then_bad 3 2 "(( \$1 > 1 )) && exit 3; $crash; exit 1"
check crash_always 1 2 "$crash; exit 1"
exit "$wrong"
