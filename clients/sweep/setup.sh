#!/usr/bin/env bash
# setup.sh FOLDER: makes FOLDER a venv with what requirements.txt pins: Dask, its scheduler, its job queues, and Bokeh, which draws
# its dashboard. One of the same requirements is kept. A venv cannot be moved: what says that it is complete is written last.
set -euo pipefail
folder=$1
here=$(dirname "$(readlink -f "$0")")
wanted=$here/requirements.txt

fail() { printf 'fmha950 sweep: %s\n' "$*" >&2; exit 6; }

mkdir -p "$(dirname "$folder")"
exec 9>"$folder.lock"
flock 9 # workers that start side by side on one machine share it
! cmp -s "$wanted" "$folder/complete" || exit 0
printf 'fmha950: installing Dask of PyPI into %s\n' "$folder" >&2
rm -rf "$folder"
/usr/bin/python3 -c 'import ensurepip' 2>/dev/null || fail "no venv: apt-get install python3-venv"
/usr/bin/python3 -m venv "$folder" >&2
"$folder/bin/pip" -q --disable-pip-version-check install --no-deps -r "$wanted" >&2 || fail "pip did not get what $wanted pins from PyPI"
cp "$wanted" "$folder/complete"
