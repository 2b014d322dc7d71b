"""hipconfig.py TREE [option]...: ROCm's hipconfig. A single answer has no end of line, as CMake and others take it as it is."""
import json
import pathlib
import sys


def answers(tree):
    version = json.loads((tree / "share/fmha950/device.json").read_text(encoding="utf-8"))["version"]
    return {("--path", "-p"): ("HIP_PATH", str(tree)), ("--rocmpath", "-R"): ("ROCM_PATH", str(tree)),
            ("--compiler", "-c"): ("HIP_COMPILER", "clang"), ("--platform", "-P"): ("HIP_PLATFORM", "amd"),
            ("--runtime", "-r"): ("HIP_RUNTIME", "rocclr"), ("--hipclangpath", "-l"): ("HIP_CLANG_PATH", str(tree / "lib/llvm/bin")),
            ("--cpp_config", "-C"): ("CPP_CONFIG", f" -D__HIP_PLATFORM_AMD__= -I{tree}/include"), ("--version", "-v"): ("HIP version", version)}


def main(tree, *words):
    known = answers(pathlib.Path(tree))
    if not words or words[0] in ("--full", "-f"):
        print("\n".join(f"{name:<14}: {value}" for name, value in reversed(known.values())))
        return 0
    for word in words:
        found = next((value for options, (_, value) in known.items() if word in options), None)
        if found is None:
            print(f"hipconfig: {word}: must be one of {', '.join(' '.join(options) for options in known)} or --full", file=sys.stderr)
            return 3
        print(found, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
