#!/usr/bin/env bash
# python_package_test.sh WORK SOURCE MODULE REQUIREMENT...: installs SOURCE/python into a venv under WORK, with what it needs of
# PyPI, and runs its tests on the code object MODULE and on that of the environment variable HAZARD_MODULE, whose kernels have
# hazards. Exits with 77 where PyPI is out of reach.
set -euo pipefail
work=$1 source=$2 module=$3
shift 3
venv=$work/python-package
. ./venv.sh
make_venv "$venv" "$@"
"$venv/bin/pip" -q --disable-pip-version-check install --no-deps --no-build-isolation --force-reinstall "$source/python"
rm -rf "$source/python/build" "$source"/python/*.egg-info
CLIENT_MODULE=$module FMHA950_SOURCE=$source MPLBACKEND=Agg "$venv/bin/python" -B python_package_test.py
