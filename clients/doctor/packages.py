"""What the user's Python has of PyTorch, without importing it."""
import json
import pathlib
import shutil
import subprocess
import sys

from finding import note, ok, problem

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))  # beside clients/, in an installation, too
from fmha950.torch_versions import SPAN, is_known  # noqa: E402

ASK = """
import importlib.metadata as metadata, json, pathlib
try:
    torch = metadata.distribution("torch")
    files = [str(file) for file in torch.files or () if file.name.startswith("libamdhip64")]
    print(json.dumps({"version": torch.version, "hip": files[:1]}))
except metadata.PackageNotFoundError:
    print("null")
"""


def torch_of(variables):
    """The torch of `python3` on the PATH: {"version", "hip": its own HIP library}, None without one, a text where Python does not say."""
    python = shutil.which("python3", path=variables.get("PATH"))
    if python is None:
        return "no python3 on the PATH"
    asked = subprocess.run([python, "-c", ASK], env=variables, capture_output=True, text=True, check=False)
    return json.loads(asked.stdout) if asked.returncode == 0 else f"{python} ended with {asked.returncode}"


def check_torch(torch):
    """`torch`: what torch_of says."""
    if torch is None:
        yield note("torch", "python3 has no torch: scripts written for torch.cuda do not run", f"pip install torch, of {SPAN}")
    elif isinstance(torch, str):
        yield problem("torch", torch, "repair Python, or put another python3 first on the PATH")
    elif not is_known(torch["version"]):
        yield problem("torch", f"torch {torch['version']}: must be of {SPAN}", f"pip install a torch of {SPAN}")
    elif torch["hip"]:
        yield problem("torch", f"torch {torch['version']} brings {torch['hip'][0]} of its own, which it loads in place of the device's",
                      f"pip install a torch of {SPAN} without ROCm (a CPU or CUDA build)")
    else:
        yield ok("torch", f"torch {torch['version']}: fmha950 device python makes its cuda the device")
