# make_venv FOLDER REQUIREMENT...: a venv with just that of PyPI, if it is not there. Ends the script with 77, skipped,
# where PyPI does not give that.
make_venv() {
  local venv=$1
  shift
  mkdir -p "$(dirname "$venv")"
  exec 9>"$venv.lock"
  flock 9 # clients that run side by side share it
  if [ "$(cat "$venv/complete" 2>/dev/null)" != "$*" ]; then
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv" || { echo "skipped: no venv (apt-get install python3-venv)"; exit 77; }
    if ! "$venv/bin/pip" -q --disable-pip-version-check install "$@" >"$venv/pip.log" 2>&1; then
      echo "skipped: PyPI does not give $*: $(tail -n 1 "$venv/pip.log")"
      exit 77
    fi
    printf '%s' "$*" >"$venv/complete"
  fi
  exec 9>&-
}
