#!/usr/bin/env bash
# run.sh HARNESS ANALYSIS VENV ARGUMENTS: one case list on many machines (docs/sweep.md), by the Python of VENV, which is made if
# it is not there. `scheduler` and `worker` are Dask's own programs.
set -euo pipefail
harness=$1 analysis=$2 venv=$3
shift 3
here=$(dirname "$(readlink -f "$0")")
export PYTHONPATH=$here:$analysis PYTHONDONTWRITEBYTECODE=1
# How often workers may be lost below a shard until it counts as what kills them. Dask's 3 is too few where machines are taken away.
export DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=10

case "${1:-}" in
scheduler | worker) ;;
*)
  for argument in "$@"; do
    case "$argument" in
    -h | --help) exec /usr/bin/python3 "$here/request.py" "$harness" --help ;;
    --) break ;;
    esac
  done
  /usr/bin/python3 "$here/request.py" "$harness" "$@"
  ;;
esac
bash "$here/setup.sh" "$venv"
case "${1:-}" in
scheduler) shift && exec "$venv/bin/dask" scheduler "$@" ;;
# A shard is a process beside the worker: Dask sees nothing of its memory.
worker) shift && exec "$venv/bin/dask" worker --nthreads 1 --memory-limit 0 "$@" ;;
*) exec "$venv/bin/python" "$here/sweep.py" "$harness" "$@" ;;
esac
