#!/usr/bin/env bash
# python_client.sh WORK FMHA950 SCRIPT REQUIREMENT...: runs a Python client by `fmha950 python`, under all hazard checks of
# severity error, in a venv under WORK with what it needs of PyPI. Exits with 77 where PyPI does not give that.
set -euo pipefail
work=$1 fmha950=$2 script=$3
shift 3

mkdir -p "$work"
venv=$work/$(printf '%s ' "$@" | sha256sum | head -c 12)
exec 9>"$venv.lock"
flock 9 # clients that run side by side share it
if [ ! -e "$venv/complete" ]; then
  rm -rf "$venv"
  /usr/bin/python3 -m venv "$venv" || { echo "skipped: no venv (apt-get install python3-venv)"; exit 77; }
  if ! "$venv/bin/pip" -q --disable-pip-version-check install "$@" >"$venv/pip.log" 2>&1; then
    echo "skipped: PyPI does not give $*: $(tail -n 1 "$venv/pip.log")"
    exit 77
  fi
  touch "$venv/complete"
fi
exec 9>&-

export TRITON_CACHE_DIR=$(mktemp -d) # nothing of an earlier run
trap 'rm -rf "$TRITON_CACHE_DIR"' EXIT
PATH=$venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 FMHA950_CHECK=errors "$fmha950" --no-install python "$script"
