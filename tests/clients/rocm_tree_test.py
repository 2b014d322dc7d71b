"""rocm_tree_test.py DEVICE_FOLDER CLANG: the folder that serves as ROCM_PATH is made once, and its tools answer for the device in the
forms that programs read. What they must say is asked of the library here, by calls of its own."""
import contextlib
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

DEVICE, CLANG = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = ROOT / "clients/rocm/tree.py"
BUILD_ID = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"
COMPUTE_UNITS, WAVE_SIZE, LDS_BYTES = 63, 87, 74  # hipDeviceAttribute_t


def asked_of_library():
    library = ctypes.CDLL(str(DEVICE / "libamdhip64.so"))
    version, properties = ctypes.c_int(), ctypes.create_string_buffer(792)  # HIP 5's layout: tools use the other one
    assert library.hipRuntimeGetVersion(ctypes.byref(version)) == 0 and library.hipGetDeviceProperties(properties, 0) == 0
    name, value, facts = ctypes.create_string_buffer(256), ctypes.c_int(), {}
    assert library.hipDeviceGetName(name, 256, 0) == 0
    for attribute in (COMPUTE_UNITS, WAVE_SIZE, LDS_BYTES):
        assert library.hipDeviceGetAttribute(ctypes.byref(value), attribute, 0) == 0
        facts[attribute] = value.value
    (target,) = set(re.findall(rb"gfx\w+:[\w+:-]+", properties.raw))
    major, rest = divmod(version.value, 10_000_000)
    return {"version": f"{major}.{rest // 100_000}.{rest % 100_000}", "target": target.decode(), "name": name.value.decode(), **facts}


RIGHT = asked_of_library()
PROCESSOR = RIGHT["target"].split(":")[0]


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.hip = self.work / "hip"
        for name in ("include/hip/hip_runtime.h", "amdgcn/bitcode/oclc_isa_version_950.bc", "amdgcn/bitcode/ocml.bc"):
            (self.hip / name).parent.mkdir(parents=True, exist_ok=True)
            (self.hip / name).write_text("")
        (self.hip / "wheel").write_text("one\n")
        self.variables = {"PATH": "/usr/bin:/bin", "HOME": str(self.work), "XDG_CACHE_HOME": str(self.work / "cache"),
                          "FMHA950_HIP_HOME": str(self.hip), "ROCM_PATH": ""}

    def start(self, device=DEVICE, *words, **variables):
        return subprocess.Popen([sys.executable, "-B", TREE, CLANG, device, *words], env={**self.variables, **variables}, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ask(self, device=DEVICE, *words, code=0, **variables):
        process = self.start(device, *words, **variables)
        out, said = process.communicate()
        self.assertEqual(process.returncode, code, said)
        return pathlib.Path(out.strip()), said

    def tool(self, tree, *words, code=0):
        ran = subprocess.run([tree / "bin" / words[0], *words[1:]], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, code, ran.stderr)
        return ran.stdout if code == 0 else ran.stderr

    def test_four_processes_at_once_make_one(self):
        processes = [self.start() for _ in range(4)]
        told = {process.communicate()[0] for process in processes}
        self.assertEqual([process.returncode for process in processes], [0] * 4)
        self.assertEqual(len(told), 1, told)
        self.assertEqual([str(path) for path in (self.work / "cache/fmha950").iterdir()], [told.pop().strip()])

    def test_one_that_is_there_is_not_made_again(self):
        tree, said = self.ask()
        self.assertEqual(said, "")
        (tree / "mark").write_text("")
        self.assertEqual(self.ask()[0], tree)
        self.assertTrue((tree / "mark").exists())
        # Its own folder in ROCM_PATH changes nothing: headers are not looked for in a tree.
        self.assertEqual(self.ask(ROCM_PATH=str(tree))[0], tree)

    def test_another_setup_or_build_has_another(self):
        tree, _ = self.ask()
        (self.hip / "wheel").write_text("two\n")
        self.assertNotEqual(self.ask()[0], tree)
        (self.hip / "wheel").write_text("one\n")
        self.assertEqual(self.ask()[0], tree)
        other = self.work / "device"
        other.mkdir()
        contents = (DEVICE / "libamdhip64.so").read_bytes()
        (other / "libamdhip64.so").write_bytes(contents)
        first = self.ask(other)[0]
        at = contents.index(BUILD_ID) + len(BUILD_ID)
        (other / "libamdhip64.so").write_bytes(contents[:at] + bytes([contents[at] ^ 1]) + contents[at + 1:])
        self.assertEqual(len({tree, first, self.ask(other)[0]}), 3)

    def test_a_tree_without_its_library_goes_with_the_next(self):
        gone, kept = (self.work / "cache/fmha950" / name for name in ("rocm-gone", "other"))
        for folder in (gone, kept):
            (folder / "share/fmha950").mkdir(parents=True)
            (folder / "share/fmha950/device.json").write_text("{}")
        self.ask()
        self.assertFalse(gone.exists())
        self.assertTrue(kept.exists())

    def test_tools_are_where_programs_look(self):
        tree, _ = self.ask()
        for name in ("libamdhip64.so", "libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7"):
            self.assertEqual((tree / "lib" / name).resolve(), (DEVICE / name).resolve())
        for program, name in (("llvm/bin/ld.lld", "LLD"), ("lib/llvm/bin/clang++", "clang")):
            self.assertIn(name, subprocess.run([tree / program, "--version"], capture_output=True, text=True, check=True).stdout)
        self.assertEqual((tree / "amdgcn/bitcode").resolve(), (self.hip / "amdgcn/bitcode").resolve())
        self.assertEqual((tree / "include").resolve(), (self.hip / "include").resolve())

    def test_versions_and_features_agree_with_the_device(self):
        tree, _ = self.ask()
        self.assertEqual((tree / ".info/version").read_text().strip(), RIGHT["version"])
        self.assertEqual(self.tool(tree, "hipconfig", "--version"), RIGHT["version"])
        self.assertIn(f"HIP version: {RIGHT['version']}\n", self.tool(tree, "hipcc", "--version"))
        self.assertEqual(re.findall(r"=(\d+)", (tree / "share/hip/version").read_text()), RIGHT["version"].split("."))
        self.assertEqual(json.loads(self.tool(tree, "amd-smi", "version", "--json"))[0]["rocm_version"], RIGHT["version"])
        self.assertEqual(self.tool(tree, "rocm_agent_enumerator", "-name"), RIGHT["target"] + "\n")
        self.assertEqual(re.findall(r"amdgcn-amd-amdhsa--(\S+)", self.tool(tree, "rocminfo")), [RIGHT["target"]])
        (facts,) = json.loads(self.tool(tree, "amd-smi", "static", "--json"))["gpu_data"]
        self.assertEqual([facts["asic"][key] for key in ("target_graphics_version", "num_compute_units", "market_name")],
                         [PROCESSOR, RIGHT[COMPUTE_UNITS], RIGHT["name"]])

    def test_rocminfo_in_the_ways_that_programs_read_it(self):
        text = self.tool(self.ask()[0], "rocminfo")
        self.assertEqual(re.search(r"\b(gfx\w+)\b", text)[1], PROCESSOR)  # the first such word
        self.assertEqual(re.findall(r"^\s+Name:\s+(gfx\w+)\s*$", text, re.M), [PROCESSOR])
        agents = re.split(r"Agent\s*\d+", text)
        gpus = [agent for agent in agents if re.search(r"Device Type:\s+GPU", agent)]
        self.assertEqual([int(re.search(r"Compute Unit\s*:\s*(\d+)", gpu)[1]) for gpu in gpus], [RIGHT[COMPUTE_UNITS]])
        self.assertEqual(int(re.search(r"Wavefront Size:\s+(\d+)", gpus[0])[1]), RIGHT[WAVE_SIZE])
        self.assertEqual(int(re.search(r"GROUP\s+Size:\s+(\d+)", gpus[0])[1]) * 1024, RIGHT[LDS_BYTES])
        self.assertTrue(any(re.search(r"Device Type:\s+CPU", agent) for agent in agents))

    def test_the_other_tools_in_the_ways_that_programs_call_them(self):
        tree, _ = self.ask()
        self.assertEqual(self.tool(tree, "rocm_agent_enumerator"), PROCESSOR + "\n")
        self.assertEqual(self.tool(tree, "rocm_agent_enumerator", "-t", "GPU"), PROCESSOR + "\n")
        self.assertEqual(self.tool(tree, "rocm_agent_enumerator", "-t", "CPU"), "")
        self.assertRegex(self.tool(tree, "amd-smi", "list"), r"(?m)^GPU: 0$")
        self.assertEqual(len(json.loads(self.tool(tree, "amd-smi", "list", "--json"))), 1)
        self.assertEqual(len(self.tool(tree, "amd-smi", "list", "--csv").splitlines()), 2)
        self.assertRegex(self.tool(tree, "amd-smi", "static", "--asic", "--gpu", "0"), rf"(?m)^\s+TARGET_GRAPHICS_VERSION: {PROCESSOR}$")
        self.assertNotIn("VRAM", self.tool(tree, "amd-smi", "static", "--asic"))
        # CMake takes the answer as it is: an end of line would be part of the path.
        self.assertEqual(self.tool(tree, "hipconfig", "--rocmpath"), str(tree))
        self.assertTrue(pathlib.Path(self.tool(tree, "hipconfig", "--hipclangpath"), "clang++").exists())
        self.assertEqual(self.tool(tree, "hipconfig", "--platform"), "amd")

    def test_what_is_not_there_is_refused(self):
        tree, _ = self.ask()
        self.assertIn("--gpu 1: there is one GPU", self.tool(tree, "amd-smi", "list", "--gpu", "1", code=3))
        self.assertIn("metric", self.tool(tree, "amd-smi", "metric", code=2))
        self.assertIn("--nothing: must be one of", self.tool(tree, "hipconfig", "--nothing", code=3))
        self.assertIn("-t", self.tool(tree, "rocm_agent_enumerator", "-t", "TPU", code=2))
        self.assertIn("--loud: takes only --quiet", self.ask(DEVICE, "--loud", code=3)[1])
        self.assertIn("the device has not been built", self.ask(self.work, code=6)[1])

    def test_without_headers_tools_are_told_the_command(self):
        command, none = "fmha950 hipcc --setup", str(self.work / "none")
        tree, said = self.ask(FMHA950_HIP_HOME=none)
        self.assertIn(command, said)
        self.assertEqual(self.ask(DEVICE, "--quiet", FMHA950_HIP_HOME=none), (tree, ""))
        (self.work / "program.hip").write_text("#include <hip/hip_runtime.h>\n")
        read = subprocess.run([tree / "llvm/bin/clang++", "-E", "-xc++", f"-I{tree}/include", self.work / "program.hip"], capture_output=True, text=True,
                              check=False)
        self.assertNotEqual(read.returncode, 0)
        self.assertIn(command, read.stderr)
        self.assertIn(command, (tree / "amdgcn/bitcode/README").read_text())
        ran = subprocess.run([tree / "bin/hipcc", self.work / "program.hip"], env={**self.variables, "FMHA950_HIP_HOME": none, "ROCM_PATH": str(tree)},
                             capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 6)
        self.assertIn(command, ran.stderr)
        self.assertNotEqual(self.ask()[0], tree)  # once it has been run

    def test_what_is_wrong_with_the_environment_is_of_no_matter(self):
        tree, _ = self.ask(FMHA950_SCHEDULE="bogus", LD_PRELOAD=str(self.work / "none.so"))
        self.assertEqual(self.tool(tree, "rocm_agent_enumerator"), PROCESSOR + "\n")

    def test_nothing_stays_of_one_that_cannot_be_made(self):
        broken = self.work / "broken"
        broken.mkdir()
        (broken / "libamdhip64.so").write_text("no library")
        self.assertIn("does not answer", self.ask(broken, code=6)[1])
        with contextlib.suppress(FileNotFoundError):
            self.assertEqual(os.listdir(self.work / "cache/fmha950"), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
