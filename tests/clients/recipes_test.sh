#!/usr/bin/env bash
# recipes_test.sh WORK BUILD: every recipe of docs/without_gpu.md does what the page says, by an installed fmha950, each in an
# empty folder. Exits with 77 where PyPI is out of reach.
set -euo pipefail
work=$1 build=$2
. ./pypi.sh
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

# Only a step that asks PyPI may fail for want of it.
run='trap "echo \"\$? is what ends: \$BASH_COMMAND\" >&2" ERR; . "$0"'
for recipe in "$folder"/*.sh; do
  mkdir "${recipe%.sh}"
  if ! (cd "${recipe%.sh}" && PATH=$folder/prefix/bin:$PATH bash -euo pipefail -c "$run" "$recipe") >"$folder/said" 2>&1; then
    case "$(tail -n 1 "$folder/said")" in "6 is what ends: "*--setup | *" is what ends: "*"pip -q install "*) setup_failed "$(cat "$folder/said")" ;; esac
    cat "$folder/said"
    echo "recipes test: $(basename "$recipe") fails"
    exit 1
  fi
  if grep '^hazard' "$folder/said"; then exit 1; fi
done
