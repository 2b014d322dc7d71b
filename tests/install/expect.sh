# Sourced by tests of what is installed: what a command must say, or refuse to do.
fail() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }
expect() { # text, command...
  local text=$1
  shift
  "$@" >output 2>&1 || { cat output >&2; fail "$* failed"; }
  grep -qF -- "$text" output || { cat output >&2; fail "$* does not say: $text"; }
}
refuses() { # text, command...
  local text=$1
  shift
  if "$@" >output 2>&1; then fail "$* is not refused"; fi
  grep -qF -- "$text" output || { cat output >&2; fail "$* does not say: $text"; }
}
