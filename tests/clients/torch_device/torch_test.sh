#!/usr/bin/env bash
# torch_test.sh WORK LAUNCHER: tensors of torch.cuda on the embedded device, in the Python of Debian's torch (apt-get install python3-torch: 1.13, without
# Triton, fp8 and torch.device contexts). With FMHA950_CLIENTS=torch in a venv under WORK with torch, triton and flydsl of PyPI, which are large:
# by hand. Exits with 77 where Debian's is not installed, or PyPI is out of reach.
set -euo pipefail
work=$1 launcher=$2
download_mb=4000 disk_mb=7000 # of torch's CUDA build, with all that it requires; seen with these versions
requirements=(torch==2.8.0 triton==3.4.0 flydsl==0.4.2 numpy==2.2.6)
tests=(tensors autograd cuda refused library scripted)

if [ "${FMHA950_CLIENTS:-}" = torch ]; then
  venv=$work/torch
  if [ ! -e "$venv/complete" ]; then
    mkdir -p "$work"
    free_mb=$(df -Pm "$work" | awk 'NR == 2 {print $4}')
    if [ "$free_mb" -lt $((disk_mb + 2000)) ]; then
      echo "FMHA950_CLIENTS=torch: needs $disk_mb MB on the disk of $work and 2000 to spare: $free_mb MB are free"
      exit 1
    fi
    echo "fetching ${requirements[*]}: some $download_mb MB, $disk_mb MB on disk"
  fi
  . ../venv.sh
  PIP_NO_CACHE_DIR=1 make_venv "$venv" "${requirements[@]}"
  PATH=$venv/bin:$PATH
  tests+=(triton flydsl preload)
else
  PATH=/usr/bin:$PATH
  python3 -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)' || { echo "skipped: no torch: apt-get install python3-torch, or FMHA950_CLIENTS=torch for that of PyPI"; exit 77; }
fi

export PYTHONDONTWRITEBYTECODE=1 TRITON_CACHE_DIR=$(mktemp -d) # nothing of an earlier run
trap 'rm -rf "$TRITON_CACHE_DIR"' EXIT
run() { "$launcher" --no-install device python "$@"; }
run -W ignore -c 'import torch, sys; print("Python", sys.version.split()[0], "torch", torch.__version__)'
for test in "${tests[@]}"; do
  echo "$test"
  FMHA950_CHECK=errors run -W ignore "${test}_test.py"
done
echo host_access
FMHA950_CHECK=uninitialised run -W ignore host_access_test.py
