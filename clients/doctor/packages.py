"""What the user's Python has of PyTorch, without importing it."""
import json
import shutil
import subprocess

from finding import note, ok, problem

OLDEST, NEWEST = "2.6", "2.8"  # what fmha950.torch_device takes
ASK = """
import importlib.metadata as metadata, json, pathlib
try:
    torch = metadata.distribution("torch")
    files = [str(file) for file in torch.files or () if file.name.startswith("libamdhip64")]
    print(json.dumps({"version": torch.version, "hip": files[:1]}))
except metadata.PackageNotFoundError:
    print("null")
"""


def release(version):
    """2.9.1+cu128 -> (2, 9)"""
    return tuple(int(part) for part in version.partition("+")[0].split(".")[:2])


def torch_of(variables):
    """The torch of `python3` on the PATH: {"version", "hip": its own HIP library}, None without one, a text where Python does not say."""
    python = shutil.which("python3", path=variables.get("PATH"))
    if python is None:
        return "no python3 on the PATH"
    asked = subprocess.run([python, "-c", ASK], env=variables, capture_output=True, text=True, check=False)
    return json.loads(asked.stdout) if asked.returncode == 0 else f"{python} ended with {asked.returncode}"


def check_torch(torch):
    """`torch`: what torch_of says."""
    span = f"{OLDEST} to {NEWEST}"
    if torch is None:
        yield note("torch", "python3 has no torch: scripts written for torch.cuda do not run", f"pip install torch, of {span}")
    elif isinstance(torch, str):
        yield problem("torch", torch, "repair Python, or put another python3 first on the PATH")
    elif not release(OLDEST) <= release(torch["version"]) <= release(NEWEST):
        yield problem("torch", f"torch {torch['version']}: must be of {span}", f"pip install a torch of {span}")
    elif torch["hip"]:
        yield problem("torch", f"torch {torch['version']} brings {torch['hip'][0]} of its own, which it loads in place of the device's",
                      f"pip install a torch of {span} without ROCm (a CPU or CUDA build)")
    else:
        yield ok("torch", f"torch {torch['version']}")
