"""Which HIP library a program gets, whether it is this build's, what its device is, and what is preloaded."""
import json
import pathlib
import re
import subprocess

import device_facts
import tree
from finding import note, ok, problem

ROCM_LIBRARIES = pathlib.Path("/opt/rocm/lib")  # the run path of many programs, those of `fmha950 hipcc` too
LOADED = pathlib.Path(__file__).resolve().with_name("loaded.py")
# Variables by which programs name an architecture in place of the device's.
CHOSEN_ARCHITECTURES = ("FLYDSL_GPU_ARCH", "GPU_ARCHS", "HSA_OVERRIDE_GFX_VERSION", "PYTORCH_ROCM_ARCH", "TRITON_OVERRIDE_ARCH")
SOURCES = ("emulator", "numerics")  # the device library's
SETTINGS = ("LD_LIBRARY_PATH", "LD_PRELOAD")


def look(name, variables):
    """What loaded.py says, or why it said nothing."""
    ran = subprocess.run([tree.PYTHON, "-B", LOADED, name], env=variables, capture_output=True, text=True, check=False)
    try:
        return json.loads(ran.stdout.splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        return {"error": f"loading it ends a program with {ran.returncode}: {' '.join(ran.stderr.split()[-20:])}"}


class Libraries:
    """What the loader gives programs under each name, in an environment; asked once."""

    def __init__(self, device, variables):
        self.own, self.variables = pathlib.Path(device) / tree.LIBRARY, variables
        # Options that are malformed are another check's.
        clean = {name: value for name, value in variables.items() if not name.startswith("FMHA950_")}
        self.by_name = {name: look(name, clean) for name in tree.NAMES}
        alone = {name: value for name, value in clean.items() if name not in SETTINGS}
        self.itself = look(str(self.own), alone) if self.own.is_file() else {"error": "is not there"}

    def files(self):
        """Names by the file that they give, links followed: {file: [names]}."""
        found = {}
        for name, seen in self.by_name.items():
            if "file" in seen:
                found.setdefault(pathlib.Path(seen["file"]).resolve(), []).append(name)
        return found

    def is_own(self, file):
        return pathlib.Path(file).resolve() == self.own.resolve() or tree.build_id(file) == tree.build_id(self.own)


def set_path(device):
    return f"export LD_LIBRARY_PATH={device}   (`fmha950 device python`, for scripts of torch, `fmha950 python` and `fmha950 device watch` do it themselves)"


def check_library(libraries, rocm_libraries=ROCM_LIBRARIES):
    device = libraries.own.parent
    if "error" in libraries.itself:
        yield problem("library", f"{libraries.own}: {libraries.itself['error']}", "./fmha950 build")
        return
    files, own = libraries.files(), True
    for file, names in files.items():
        if not libraries.is_own(file):
            own = False
            builds = (tree.build_id(library)[:12] for library in (file, libraries.own))
            kind = "of another build, {}, and this is {}".format(*builds) if libraries.by_name[names[0]]["ours"] else "no library of fmha950"
            yield problem("library", f"{', '.join(names)}: a program gets {file}, {kind}", set_path(device))
    missing = [name for name in tree.NAMES if "error" in libraries.by_name[name]]
    told = next((name for name in (*SETTINGS, "ROCM_PATH") if libraries.variables.get(name)), None)
    if missing and told:
        why = libraries.by_name[missing[0]]["error"]
        yield problem("library", f"{', '.join(missing)}: a program finds none, though {told} is set ({why})", set_path(device))
    elif missing:
        yield note("library", f"{', '.join(missing)}: a program that is started from here finds none", set_path(device))
    elif own:
        yield ok("library", f"programs get {next(iter(files))} under all {len(tree.NAMES)} names")
    beside = sorted(rocm_libraries.glob(f"{tree.LIBRARY}*"))
    if beside and not all(libraries.is_own(file) for file in beside):
        yield note("library", f"{beside[0]} is there, too: programs with that run path get it where LD_LIBRARY_PATH does not say otherwise",
                   set_path(device))
    if (triton := libraries.variables.get("TRITON_LIBHIP_PATH")) and not pathlib.Path(triton).is_file():
        yield problem("library", f"TRITON_LIBHIP_PATH = {triton}: is no file, and Triton looks nowhere else", f"export TRITON_LIBHIP_PATH={libraries.own}")


def newer_source(checkout, library):
    """A source of the device that has been written since the library was; None if there is none."""
    built = library.stat().st_mtime
    sources = (file for folder in SOURCES for file in (checkout / folder).rglob("*.[ch]pp"))
    return next((file for file in sources if file.stat().st_mtime > built), None)


def check_build(libraries, checkout):
    """`checkout`: its folder, None for an installation."""
    if "error" in libraries.itself:
        return
    own = tree.build_id(libraries.own)[:12]
    if checkout is None:
        yield ok("build", f"{own}, installed")
    elif newer := newer_source(checkout, libraries.own):
        yield problem("build", f"{own}: sources have changed since, {newer.relative_to(checkout)} for one", "./fmha950 build")
    else:
        yield ok("build", f"{own}, of the sources as they are")


def number_of(architecture):
    """gfx950 and 9.5.0 -> 9.5.0, by the rule of HSA_OVERRIDE_GFX_VERSION: major, minor and stepping in hexadecimal digits."""
    digits = re.fullmatch(r"gfx(\d+)([0-9a-f])([0-9a-f])(?::.*)?", architecture)
    return f"{digits[1]}.{int(digits[2], 16)}.{int(digits[3], 16)}" if digits else architecture


def check_arch(libraries, agents):
    """`agents`: what rocm_agent_enumerator on the PATH prints, None if there is none."""
    if "error" in libraries.itself:
        return
    if "refused" in libraries.itself:
        yield problem("arch", f"{libraries.own}: {libraries.itself['refused']}", "see docs/device.md, Errors and faults")
        return
    own = device_facts.processor(libraries.itself["facts"])
    wrong = False
    for name, seen in libraries.by_name.items():
        found = device_facts.processor(seen["facts"]) if "facts" in seen else seen.get("refused")
        if found is not None and found != own:
            wrong = True
            yield problem("arch", f"{name} ({seen['file']}): {found}, must be {own}", set_path(libraries.own.parent))
            break
    for variable in CHOSEN_ARCHITECTURES:
        value = libraries.variables.get(variable, "")
        for word in filter(None, re.split("[;, ]+", value.lower())):
            if word != "native" and number_of(word) != number_of(own):
                wrong = True
                yield problem("arch", f"{variable} = {value}: programs compile for it, and the device is {own}", f"unset {variable}")
                break
    if agents is not None and agents.split() != [own]:
        wrong = True
        yield problem("arch", f"rocm_agent_enumerator on the PATH says {' '.join(agents.split()) or 'nothing'}, must be {own}",
                      "put $(fmha950 device rocm-path)/bin first on the PATH")
    if not wrong:
        yield ok("arch", libraries.itself["facts"]["architecture"])


def check_preload(libraries):
    wrong = False
    for entry in filter(None, re.split("[: ]+", libraries.variables.get("LD_PRELOAD", ""))):
        file = pathlib.Path(entry)
        remove = "take it out of LD_PRELOAD"
        if "/" in entry and not file.is_file():
            yield problem("preload", f"{entry}: is no file; the loader says so at each start and goes on without it", remove)
        elif file.name.startswith("libLLVM"):
            yield problem("preload", f"{entry}: libtriton and others bind to it in place of their own LLVM, and end with signal 11", remove)
        elif file.name.startswith("libamdhip64"):
            seen = look(entry, {name: value for name, value in libraries.variables.items() if name not in SETTINGS})
            if "error" in seen:
                yield problem("preload", f"{entry}: {seen['error']}", remove)
            elif not libraries.is_own(seen["file"]):
                yield problem("preload", f"{entry}: another libamdhip64, which every program gets, whatever LD_LIBRARY_PATH says", remove)
            elif seen["llvm"]:
                yield problem("preload", f"{entry}: brings {seen['llvm'][0]} for all to bind to; libtriton ends with signal 11",
                              f"{remove}; {set_path(libraries.own.parent)}")
            else:
                continue
        else:
            continue
        wrong = True
    if not wrong:
        yield ok("preload", libraries.variables.get("LD_PRELOAD") or "LD_PRELOAD is not set")


def check_gpu(kernel_driver=pathlib.Path("/dev/kfd")):
    if kernel_driver.exists():
        yield note("gpu", f"{kernel_driver} is there: this machine may have a GPU, and programs that load ROCm's library run on it",
                   "LD_LIBRARY_PATH=$(fmha950 device path) chooses the embedded device")
    else:
        yield ok("gpu", f"no {kernel_driver}: the embedded device has no rival")
