# Sourced by tests of what comes from PyPI: the one place that decides whether a failed set-up is PyPI's absence, so that
# the test is skipped, or the set-up's own fault, so that it fails.

# setup_failed SAID: ends a script one of whose steps that ask PyPI failed and said SAID. Ends it with 77 where there is no pip,
# or pip learns by its own settings (index, proxy, certificates) nothing even of itself, else with 1.
setup_failed() {
  local probe skipped=""
  printf '%s\n' "$1" >&2
  if ! /usr/bin/python3 -c 'import ensurepip' 2>/dev/null; then
    echo "skipped: no pip for a venv: apt-get install python3-venv"
    exit 77
  fi
  probe=$(mktemp -d) || exit 1
  /usr/bin/python3 -m venv "$probe/venv" >&2 || { rm -rf "$probe" && exit 1; }
  # Local folders of wheels say nothing of PyPI. Of a lost connection pip gives the reason only when it tries again.
  if ! PIP_FIND_LINKS="" "$probe/venv/bin/pip" --disable-pip-version-check --no-cache-dir --no-input --retries 1 --timeout 20 \
    index versions pip >"$probe/said" 2>&1; then
    skipped="skipped: PyPI is out of reach: $(grep -o -m 1 'connection broken.*' "$probe/said" || tail -n 1 "$probe/said")"
  fi
  rm -rf "$probe"
  [ -n "$skipped" ] || { echo "the set-up failed, though PyPI is in reach" >&2 && exit 1; }
  echo "$skipped"
  exit 77
}
