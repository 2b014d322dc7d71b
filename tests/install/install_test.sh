#!/usr/bin/env bash
# install_test.sh BUILD: installs into an empty prefix that is then moved, so that nothing can lead back to where it was
# built, and uses what is there: commands, a program of another project, the refusals.
set -euo pipefail
build=$1
source=$(dirname "$(readlink -f "$0")")
. "$source/expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cmake --install "$build" --prefix "$work/first" >/dev/null
mv first prefix
fmha950=$work/prefix/bin/fmha950
case=batch_prefill/h=2:1/sq=33/sk=65/d=128/page=16

expect "$work/prefix/lib/fmha950/lib/device" "$fmha950" device path
expect "$work/prefix/share/fmha950/data/cases" "$fmha950" list
expect "0 failed" "$fmha950" accuracy $case --impl all
expect "clocks" "$fmha950" perf $case --impl prepass
expect "1 new, 0 duplicates" "$fmha950" accuracy $case --impl prepass --output r.sqlite
refuses "r.sqlite: is there already" "$fmha950" accuracy $case --impl baseline --output=r.sqlite
expect "1 new, 1 duplicates" "$fmha950" accuracy $case --impl prepass,baseline --output=r.sqlite --resume
expect "2 passed" "$fmha950" results r.sqlite
refuses "must be called by" "$work/prefix/lib/fmha950/bin/fmha950-harness" accuracy $case --output r.sqlite
expect "--engine" "$fmha950" sweep --help
# Of a kernel's page nothing is missing, though nothing but what was installed is there.
expect "report: page.html" "$fmha950" report $case --impl prepass --output page.html
page=page/kernel_prepass_attention_bf16.attention_forward.html
for text in '<td>VGPR</td>' '<td>wave issue</td>' ' killed, ' ', clock by clock'; do
  grep -qF -- "$text" "$page" || fail "$page does not say: $text"
done
if grep -h 'class="missing"' page/kernel_*.html >&2; then fail "the pages of kernels lack something"; fi
export XDG_CACHE_HOME=$work/cache FMHA950_HIP_HOME=$work/none
expect "$work/cache/fmha950/rocm-" "$fmha950" device rocm-path --quiet
ROCM_PATH=$("$fmha950" device rocm-path --quiet) expect gfx950 "$(tail -n 1 output)/bin/rocm_agent_enumerator"
expect "installed" env LD_LIBRARY_PATH="$("$fmha950" device path)" "$fmha950" device doctor
expect "$work/prefix/bin/fmha950" "$fmha950" device python -c 'from fmha950 import program; print(program.launcher())'
refuses "FMHA950_SHEDULE: nothing reads" env FMHA950_SHEDULE=eager "$fmha950" device doctor
refuses "needs a checkout" "$fmha950" test
refuses "needs a checkout" "$fmha950" new-variant another
refuses "needs a checkout" "$fmha950" probe --mutants

cmake -S "$source/client" -B client -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build client >/dev/null
expect "MI355X (embedded" client/client
