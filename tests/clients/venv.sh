. "$(dirname "${BASH_SOURCE[0]}")/pypi.sh"

# make_venv FOLDER REQUIREMENT...: a venv with just that of PyPI, if it is not there. Ends the script with 77, skipped,
# where PyPI is out of reach, and with 1 where anything else is in the way.
make_venv() {
  local venv=$1 said
  shift
  mkdir -p "$(dirname "$venv")" || exit 1
  exec 9>"$venv.lock"
  flock 9 # clients that run side by side share it
  if [ "$(cat "$venv/complete" 2>/dev/null)" != "$*" ]; then
    rm -rf "$venv"
    said=$(/usr/bin/python3 -c 'import ensurepip' 2>&1) || setup_failed "$said"
    /usr/bin/python3 -m venv "$venv" || exit 1
    said=$("$venv/bin/pip" -q --disable-pip-version-check install "$@" 2>&1) || setup_failed "$said"
    printf '%s' "$*" >"$venv/complete"
  fi
  exec 9>&-
}
