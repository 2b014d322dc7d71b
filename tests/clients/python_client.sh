#!/usr/bin/env bash
# python_client.sh WORK FMHA950 SCRIPT REQUIREMENT...: runs a Python client by `fmha950 python`, under all hazard checks of
# severity error, in a venv under WORK with what it needs of PyPI. Exits with 77 where PyPI is out of reach.
set -euo pipefail
work=$1 fmha950=$2 script=$3
shift 3

venv=$work/$(printf '%s ' "$@" | sha256sum | head -c 12)
. ./venv.sh
make_venv "$venv" "$@"

export TRITON_CACHE_DIR=$(mktemp -d) # nothing of an earlier run
trap 'rm -rf "$TRITON_CACHE_DIR"' EXIT
PATH=$venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 FMHA950_CHECK=errors "$fmha950" --no-install python "$script"
