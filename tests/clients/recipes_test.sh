#!/usr/bin/env bash
# recipes_test.sh WORK BUILD: every recipe of docs/without_gpu.md does what the page says, by an installed fmha950, each in an
# empty folder. Exits with 77 where PyPI is out of reach.
set -euo pipefail
work=$1 build=$2
export FMHA950_HIP_HOME=$work/hip ROCM_PATH=/nowhere FMHA950_CHECK=errors PYTHONDONTWRITEBYTECODE=1
folder=$(mktemp -d)
export TRITON_CACHE_DIR=$folder/triton
trap 'rm -rf "$folder"' EXIT

cmake --install "$build" --prefix "$folder/prefix" >/dev/null
awk -v folder="$folder" '
  /^```sh$/ { block = folder "/" ++n ".sh"; next }
  /^```$/ { block = "" }
  block { print > block }' "$folder/prefix/share/fmha950/docs/without_gpu.md"
number=$(ls "$folder"/*.sh | wc -l)
[ "$number" -eq 5 ] || { echo "recipes test: $number recipes, not 5"; exit 1; }

for recipe in "$folder"/*.sh; do
  mkdir "${recipe%.sh}"
  if ! (cd "${recipe%.sh}" && PATH=$folder/prefix/bin:$PATH bash -euo pipefail "$recipe") >"$folder/said" 2>&1; then
    cat "$folder/said"
    if grep -qE 'PyPI does not give|No matching distribution found' "$folder/said"; then
      echo "skipped: PyPI is out of reach"
      exit 77
    fi
    echo "recipes test: $(basename "$recipe") fails"
    exit 1
  fi
  if grep '^hazard' "$folder/said"; then exit 1; fi
done
