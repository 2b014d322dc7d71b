"""What compiles and links for the device: ROCM_PATH, a linker, device libraries."""
import pathlib
import shutil
import subprocess
import tempfile

import tree
from finding import note, ok, problem

OBJECT = '.amdgcn_target "amdgcn-amd-amdhsa--{}"\ns_endpgm\n'
EXPORT = "export ROCM_PATH=$(fmha950 device rocm-path); export PATH=$ROCM_PATH/bin:$PATH"


def check_rocm_path(clang, device, variables, agents):
    """`agents`: what rocm_agent_enumerator on the PATH prints, None if there is none."""
    path = variables.get("ROCM_PATH")
    if not path:
        yield note("rocm-path", "ROCM_PATH is not set: tools look in /opt/rocm", EXPORT)
    elif not pathlib.Path(path).is_dir():
        yield problem("rocm-path", f"ROCM_PATH = {path}: is no folder", EXPORT)
    elif not tree.is_tree(path):
        yield note("rocm-path", f"ROCM_PATH = {path}: is not made by fmha950 device rocm-path; its tools speak of the GPUs of this machine", EXPORT)
    elif pathlib.Path(path).resolve() != (current := tree.path_of(clang, device)[0]).resolve():
        yield problem("rocm-path", f"ROCM_PATH = {path}: of another build or set-up, now it is {current}", EXPORT)
    elif agents is None:
        yield problem("rocm-path", "rocm_agent_enumerator is not on the PATH: programs that call it by name (FlyDSL) take another architecture", EXPORT)
    else:
        yield ok("rocm-path", path)


def linkers(clang, variables):
    """(who looks there, path) of linkers that tools take without being asked. What the PATH has is the last that they try."""
    if folder := tree.programs(clang):
        yield clang, str(folder / "ld.lld")
    if chosen := variables.get("TRITON_HIP_LLD_PATH"):
        yield "TRITON_HIP_LLD_PATH", chosen
    if path := variables.get("ROCM_PATH"):
        yield "ROCM_PATH", f"{path}/llvm/bin/ld.lld"
    elif not chosen and (found := shutil.which("ld.lld", path=variables.get("PATH"))):
        yield "PATH", found


def refusal(linker, code_object):
    """Why this linker does not link the object; "" if it does."""
    try:
        ran = subprocess.run([linker, "-shared", code_object, "-o", f"{code_object}.linked"], capture_output=True, text=True, check=False)
    except OSError as error:
        return error.strerror
    return "" if ran.returncode == 0 else " ".join((ran.stderr.strip() or f"ended with {ran.returncode}").split())


def check_linker(clang, processor, variables):
    install = f"install lld of the version of {clang} (apt-get install {clang.replace('clang', 'lld')})"
    with tempfile.TemporaryDirectory() as folder:
        code_object = pathlib.Path(folder) / "empty.o"
        try:
            subprocess.run([clang, "--target=amdgcn-amd-amdhsa", f"-mcpu={processor}", "-x", "assembler", "-c", "-", "-o", code_object],
                           input=OBJECT.format(processor), capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            said = error.stderr if isinstance(error, subprocess.CalledProcessError) else error.strerror
            yield problem("linker", f"{clang}: does not assemble for {processor}: {' '.join(said.split())}", f"apt-get install {clang}")
            return
        wrong = False
        for place, linker in linkers(clang, variables):
            why = refusal(linker, code_object)
            wrong = wrong or bool(why)
            said = f"{linker} ({place}): does not link for {processor}: {why}"
            if why and place == "PATH":
                yield note("linker", f"{said}; tools that take it from the PATH fail", EXPORT)
            elif why:
                yield problem("linker", said, {clang: install, "ROCM_PATH": EXPORT}.get(place, f"unset {place}"))
        if not wrong:
            yield ok("linker", linker)


def check_bitcode(variables):
    setup = f"{tree.SETUP}, then {EXPORT}"
    path = variables.get("ROCM_PATH")
    has = tree.hip()
    if path and pathlib.Path(path).is_dir() and not (pathlib.Path(path) / "amdgcn/bitcode/ocml.bc").is_file():
        yield problem("bitcode", f"ROCM_PATH = {path}: has no amdgcn/bitcode/ocml.bc: math functions of kernels do not link", setup)
    elif not has.home:
        yield note("bitcode", "no HIP headers and device libraries: `fmha950 hipcc` does not compile, nor does what takes them from ROCM_PATH", setup)
    else:
        yield ok("bitcode", has.bitcode)
