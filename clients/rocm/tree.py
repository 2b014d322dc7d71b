"""tree.py CLANG DEVICE [--quiet | --existing]: prints a folder that serves as ROCM_PATH (docs/without_gpu.md), made
on the first call.

It lies under the user's cache by a key of what it is made of: the device library's build, the compiler, and what hipcc has of headers
and device libraries. It is made aside and renamed, so that one that exists is complete; of two processes that make the same one,
one wins and both print it. A tree whose device library is gone goes when another one is made; others stay, as programs may use them.
"""
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
HIPCC = HERE.parent / "hipcc"
LIBRARY = "libamdhip64.so"
NAMES = (LIBRARY, f"{LIBRARY}.5", f"{LIBRARY}.6", f"{LIBRARY}.7")
MARK = pathlib.Path("share/fmha950/device.json")  # what a tree of ours has, and the device's facts
SETUP = "fmha950 hipcc --setup"
# An ELF note that is a GNU build id: length of the name, length of what follows it, type, name.
BUILD_ID_NOTE, BUILD_ID_BYTES, NOTES_END = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0", 20, 1 << 16
PYTHON = "/usr/bin/python3"
CMAKE_PACKAGE = "hip-lang-config.cmake"
TOOLS = {"rocminfo": "rocminfo.py", "rocm_agent_enumerator": "rocm_agent_enumerator.py", "amd-smi": "amd_smi.py", "hipconfig": "hipconfig.py"}


class Unusable(RuntimeError):
    """No tree can be made; the text says why and what to do."""


def cache():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "fmha950"


def is_tree(folder):
    return (pathlib.Path(folder) / MARK).is_file()


def build_id(library):
    """The library's GNU build id in hexadecimal digits; a digest of its bytes where the linker wrote none."""
    with open(library, "rb") as file:
        head = file.read(NOTES_END)
        at = head.find(BUILD_ID_NOTE)
        if at < 0:
            return hashlib.sha256(head + file.read()).hexdigest()
    return head[at + len(BUILD_ID_NOTE):][:BUILD_ID_BYTES].hex()


@dataclass(frozen=True)
class Hip:
    """Where hipcc finds headers and device libraries; both empty where it has none."""
    home: str = ""
    bitcode: str = ""

    def identity(self):
        """What tells one set-up from the next one in the same folder."""
        files = (pathlib.Path(self.home) / name for name in ("wheel", ".info/version", "bin/.hipVersion"))
        return [self.home, self.bitcode, *(file.read_text() for file in files if self.home and file.is_file())]


def hip():
    # A tree has its headers from elsewhere: it must not become its own or another one's source.
    variables = {name: value for name, value in os.environ.items() if name != "ROCM_PATH" or not is_tree(value)}
    found = subprocess.run(["bash", "-c", '. "$0" && find_home && printf "%s\\n" "$home" "$bitcode"', HIPCC / "home.sh"], env=variables,
                           capture_output=True, text=True, check=False)
    return Hip(*found.stdout.splitlines()) if found.returncode == 0 else Hip()


def programs(clang):
    """The folder of the compiler's LLVM; None where there is no such compiler."""
    found = shutil.which(clang)
    return pathlib.Path(found).resolve().parent if found else None


def path_of(clang, device):
    """Where the tree for this build and set-up is, or is to be, and the set-up. Raises Unusable without a library."""
    library = pathlib.Path(device) / LIBRARY
    if not library.is_file():
        raise Unusable(f"{library}: is not there: the device has not been built")
    has = hip()
    parts = [build_id(library), str(library.parent.resolve()), str(HERE), clang, str(programs(clang)), *has.identity(),
             *((HERE / name).read_text() for name in ("tree.py", "device_facts.py", CMAKE_PACKAGE))]
    return cache() / ("rocm-" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]), has


def device_facts(library):
    # As a program of its own: a library that cannot be loaded here, or a preloaded one, ends that and not this. What the user
    # has chosen of options or forgotten to correct is of no matter.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("FMHA950_") and name != "LD_PRELOAD"}
    asked = subprocess.run([PYTHON, "-B", HERE / "device_facts.py", library], env=variables, capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        raise Unusable(f"{library}: does not answer: {asked.stderr.strip() or f'ended with {asked.returncode}'}")
    return json.loads(asked.stdout)


def write(file, text, mode=0o644):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)


def link(file, target):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.symlink_to(target)


def fill(tree, final, clang, device, has):
    """Makes the contents of `tree`, which is to be renamed to `final`."""
    facts = device_facts(device / LIBRARY)
    # The header's words for a version, which clang reads, too.
    numbers = zip(("MAJOR", "MINOR", "PATCH"), facts["version"].split("."))
    write(tree / MARK, json.dumps(facts, indent=1) + "\n")
    write(tree / ".info/version", facts["version"] + "\n")
    write(tree / "share/hip/version", "".join(f"HIP_VERSION_{name}={number}\n" for name, number in numbers))
    for tool, script in TOOLS.items():
        write(tree / "bin" / tool, f"#!/bin/sh\nexec {PYTHON} -E -s -B {shlex.quote(str(HERE / script))} {shlex.quote(str(final))} \"$@\"\n", 0o755)
    compile_ = " ".join(shlex.quote(str(word)) for word in (HIPCC / "compile.sh", clang, device))
    # Who asks for the version alone needs no headers.
    write(tree / "bin/hipcc", f'''#!/bin/sh
[ "$*" != --version ] || {{ echo "HIP version: {facts["version"]}" && exec {shlex.quote(clang)} --version; }}
exec bash {compile_} "$@"
''', 0o755)
    write(tree / "lib/cmake/hip-lang" / CMAKE_PACKAGE, (HERE / CMAKE_PACKAGE).read_text())
    for name in NAMES:
        link(tree / "lib" / name, device / name)
    folder = programs(clang)
    (tree / "lib/llvm/bin").mkdir(parents=True)
    for program in sorted(folder.iterdir()) if folder else ():
        link(tree / "lib/llvm/bin" / program.name, program)
    link(tree / "llvm", "lib/llvm")
    if has.home:
        link(tree / "include", pathlib.Path(has.home) / "include")
        link(tree / "amdgcn/bitcode", has.bitcode)
    else:
        write(tree / "include/hip/hip_runtime.h", f'#error "no HIP headers: run \'{SETUP}\' once, then ask for fmha950 device rocm-path again"\n')
        write(tree / "amdgcn/bitcode/README", f"There are no device libraries: run '{SETUP}' once, then ask for fmha950 device rocm-path again.\n")


def remove_abandoned(folder):
    for tree in folder.glob("rocm-*"):
        if is_tree(tree) and not (tree / "lib" / LIBRARY).exists():
            shutil.rmtree(tree, ignore_errors=True)  # another process may be at it


def make(clang, device):
    """The tree's path and the set-up of HIP, after making the tree if it is not there."""
    device = pathlib.Path(device).resolve()
    final, has = path_of(clang, device)
    if is_tree(final):
        return final, has
    final.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(final.parent)
    work = pathlib.Path(tempfile.mkdtemp(prefix=f".{final.name}.", dir=final.parent))
    try:
        work.chmod(0o755)
        fill(work, final, clang, device, has)
        work.rename(final)
    except OSError:
        if not is_tree(final):  # else another process was first
            raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return final, has


def main(clang, device, *words):
    if words == ("--existing",):  # of device python, which must be quick: the tree if it is there
        try:
            tree, _ = path_of(clang, pathlib.Path(device).resolve())
        except (Unusable, OSError):
            return 6
        if is_tree(tree):
            print(tree)
        return 0
    if wrong := [word for word in words if word != "--quiet"]:
        print(f"fmha950 device rocm-path: {wrong[0]}: takes only --quiet, which leaves out that there are no headers", file=sys.stderr)
        return 3
    try:
        tree, has = make(clang, device)
    except (Unusable, OSError) as error:
        print(f"fmha950 device rocm-path: {error}", file=sys.stderr)
        return 6
    if not has.home and not words:
        print(f"fmha950 device rocm-path: no HIP headers and device libraries: tools that need them are told to run '{SETUP}'", file=sys.stderr)
    print(tree)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
