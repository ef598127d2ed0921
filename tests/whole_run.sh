#!/bin/bash
# The whole check on a fresh clone of this commit, in a folder of an unusual name: its verdict may depend on none of that.
#
#   tests/whole_run.sh FOLDER [loaded]
#
#   FOLDER    castor   a folder called castor
#             blank    with a blank in its name
#             deep     200 characters below the scratch folder
#             link     reached through a symbolic link
#   loaded    beside four busy processes, tests in random order
#
# The clone lies under $TMPDIR (or /tmp) and is removed if the check passes. Compiler caches are those of the user. Prints
# whether Debian's libthrust-dev and libcub-dev are installed: runs with and without them have to pass.
set -euo pipefail
exec </dev/null

root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
usage() { sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[[ $# == 1 || ($# == 2 && $2 == loaded) ]] || usage
scratch="$(mktemp -d)"
case "$1" in
  castor) place="$scratch/castor" ;;
  blank) place="$scratch/a folder/cas tor" ;;
  deep) place="$scratch/$(printf 'nineteen-characters/%.0s' {1..10})castor" ;;
  link) mkdir "$scratch/real" && ln -s real "$scratch/link" && place="$scratch/link/castor" ;;
  *) rmdir "$scratch"; usage ;;
esac

busy=()
stop() { ((${#busy[@]} == 0)) || kill "${busy[@]}" 2>/dev/null || true; }
trap stop EXIT
if [[ ${2:-} == loaded ]]; then
  export CASTOR_TEST_ORDER=random
  for _ in 1 2 3 4; do
    (while :; do :; done) &
    busy+=("$!")
  done
fi

mkdir -p "$(dirname "$place")"
git clone --quiet "$root" "$place"
packages="$(dpkg-query --show --showformat '${db:Status-Abbrev} ${Package}\n' libthrust-dev libcub-dev 2>/dev/null | sed -n 's/^ii *//p' | tr '\n' ' ' || true)"
echo "commit $(git -C "$root" rev-parse --short=12 HEAD), folder $place, installed: ${packages:-neither libthrust-dev nor libcub-dev}"
began=$SECONDS
status=0
(cd "$place" && .ci/run) || status=$?
echo "$1${2:+ $2}: exit $status after $((SECONDS - began)) s"
if ((status == 0)); then rm -rf "$scratch"; else echo "left: $place"; fi
exit "$status"
