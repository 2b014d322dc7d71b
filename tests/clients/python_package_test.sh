#!/usr/bin/env bash
# python_package_test.sh WORK SOURCE MODULE REQUIREMENT...: installs SOURCE/python into a venv under WORK, with what it needs of
# PyPI, and runs its tests on the code object MODULE and on that of the environment variable HAZARD_MODULE, whose kernels have
# hazards. Exits with 77 where PyPI does not give what is needed.
set -euo pipefail
work=$1 source=$2 module=$3
shift 3
venv=$work/python-package
mkdir -p "$work"
pip() { "$venv/bin/pip" -q --disable-pip-version-check install "$@" >"$venv/pip.log" 2>&1; }
if [ ! -e "$venv/complete" ]; then
  rm -rf "$venv"
  /usr/bin/python3 -m venv "$venv" || { echo "skipped: no venv (apt-get install python3-venv)"; exit 77; }
  pip "$@" || { echo "skipped: PyPI does not give $*: $(tail -n 1 "$venv/pip.log")"; exit 77; }
  touch "$venv/complete"
fi
pip --no-deps --no-build-isolation --force-reinstall "$source/python" || { cat "$venv/pip.log"; exit 1; }
rm -rf "$source/python/build" "$source"/python/*.egg-info
CLIENT_MODULE=$module FMHA950_SOURCE=$source "$venv/bin/python" -B python_package_test.py
