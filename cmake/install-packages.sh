#!/bin/bash
# Installs the packages of packages.txt that are missing. Needs root or sudo only if one is missing, and asks no
# questions.
#
#   install-packages.sh [section...]      installs these sections of packages.txt (default: all)
set -euo pipefail

list="$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/packages.txt"
mapfile -t known < <(sed -n 's/^\[\(.*\)\].*/\1/p' "$list")
sections=("$@")
(($#)) || sections=("${known[@]}")
for section in "${sections[@]}"; do
  if [[ " ${known[*]} " != *" $section "* ]]; then
    echo "install-packages: no section '$section' in $list; it has: ${known[*]}" >&2
    exit 2
  fi
done
mapfile -t wanted < <(awk -v wanted=" ${sections[*]} " '
  {sub(/#.*/, ""); gsub(/[[:space:]]/, "")}
  /^\[/ {take = index(wanted, " " substr($0, 2, length($0) - 2) " "); next}
  take && $0 != ""' "$list")

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-packages: this is not a Debian system; install the equivalents of $list yourself:" >&2
  echo "  ${wanted[*]}" >&2
  exit 1
fi

missing=()
for package in "${wanted[@]}"; do
  status="$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)"
  [[ $status == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "install-packages: neither root nor sudo. Ask your administrator to run:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "install-packages: installing ${missing[*]}" >&2
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o Dpkg::Use-Pty=0)
# Updates the package index, which may be absent or old. If that fails, the cached index may still suffice.
"${apt[@]}" update </dev/null >&2 || echo "install-packages: apt-get update failed, trying with the lists at hand" >&2
if ! "${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null >&2; then
  echo "install-packages: apt-get could not install: ${missing[*]}" >&2
  exit 1
fi
