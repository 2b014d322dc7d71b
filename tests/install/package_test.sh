#!/usr/bin/env bash
# package_test.sh BUILD: makes the Debian package of BUILD, whose control fields must be right, and unpacks and uses it where neither
# the checkout nor BUILD is to be seen. Exits with 77 where a tool that makes packages is missing.
set -euo pipefail
build=$(readlink -f "$1")
here=$(dirname "$(readlink -f "$0")")
source=$(dirname "$(dirname "$here")")
. "$here/expect.sh"
for tool in dpkg-deb dpkg-shlibdeps file; do
  command -v $tool >/dev/null || { echo "skipped: no $tool: apt-get install dpkg-dev file"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# It packs what was built and builds nothing, though sources may be newer.
cpack --config "$build/CPackConfig.cmake" -G DEB -B made >said 2>&1 || { cat said >&2; fail "cpack fails"; }
if grep -i preinstall said >&2; then fail "cpack builds"; fi
changed=$(find "$build/bin/fmha950-harness" "$build/lib/device" -newer said)
[ -z "$changed" ] || fail "cpack changes $changed"
name=$(basename made/*.deb)
mv "made/$name" .
rm -rf made # what was installed for packing

field() { dpkg-deb -f "$name" "$1"; }
is() { [ "$(field "$1")" = "$2" ] || fail "$1 is '$(field "$1")', must be '$2'"; }
is Package fmha950
is Architecture "$(dpkg --print-architecture)"
is Version "$(sed -n 's/^set(CPACK_PACKAGE_VERSION "\(.*\)")/\1/p' "$build/CPackConfig.cmake")"
is Recommends "python3, python3-matplotlib, python3-numpy"
[ -n "$(field Maintainer)" ] && [ -n "$(field Description)" ] || fail "Maintainer or Description is empty"
[ "$name" = "fmha950_$(field Version)_$(field Architecture).deb" ] || fail "the package is called $name"
dpkg-deb -c "$name" >listed
if grep -v '^[^ ]* root/root .* \./usr/' listed >&2; then fail "this is not root's, or not under /usr"; fi
dpkg-deb -x "$name" tree

# Of each library that the programs load one package that has it is a dependency.
home=$work/tree/usr/lib/fmha950
needed=$(readelf -d "$home/bin/fmha950-harness" "$home/lib/device/libamdhip64.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u)
[ -n "$needed" ] || fail "the programs need no library"
depends=" $(field Depends | sed 's/([^)]*)//g; s/[,|]/ /g') "
for library in $needed; do
  found=no
  for owner in $(dpkg -S "*/$library" | cut -d: -f1); do case "$depends" in *" $owner "*) found=yes ;; esac done
  [ $found = yes ] || fail "Depends has no package of $library:$depends"
done

# A place where both folders of this machine are empty.
apart() { # command...
  unshare --map-root-user --mount bash -c 'for folder in "$0" "$1"; do [ ! -d "$folder" ] || mount -t tmpfs none "$folder"; done
    [ ! -e "$0/fmha950" ] && [ ! -e "$1/CPackConfig.cmake" ] && shift && exec "$@"' "$source" "$build" "$@"
}
if ! apart true 2>said; then
  echo "the checkout is not hidden: $(tail -n 1 said)"
  apart() { "$@"; }
fi
fmha950=$work/tree/usr/bin/fmha950
seen() { local text=$1; shift; expect "$text" apart "$fmha950" "$@"; }
seen "$work/tree/usr/share/fmha950/data/cases" list
seen "$home/lib/device" device path
seen "0 failed" accuracy batch_prefill/h=2:1/sq=33/sk=65/d=128/page=16 --impl all
seen "attention_forward" device run "$home/code_objects/prepass_attention_bf16.co" --describe
