"""`fmha950 device python` and the parts of the layer that need no torch; what is refused of one is seen with a torch of our own that has no
more than its names. without_torch_test.py LAUNCHER DEVICE: the launcher, and the folder of the device's library."""

import ctypes
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

LAUNCHER, DEVICE = sys.argv[1:3]
PACKAGE = pathlib.Path(LAUNCHER).resolve().parent / "python"
sys.path.insert(0, str(PACKAGE))


def load(name):
    """A module of the layer alone: the package would import torch."""
    spec = importlib.util.spec_from_file_location(name, PACKAGE / "fmha950/torch_device" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class DevicePython(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def start(self, *words, **variables):
        environment = {**os.environ, "PATH": f"/usr/bin:{os.environ['PATH']}", "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1",
                       **variables}
        return subprocess.run([LAUNCHER, "--no-install", "device", "python", *words], capture_output=True, text=True, check=False, env=environment)

    def said(self, *words, **variables):
        ran = self.start(*words, **variables)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout.strip()

    def torch(self, version="2.8.0", gpu=False, hip=None):
        (self.folder / "torch.py").write_text(f"import types\n__version__ = '{version}'\nversion = types.SimpleNamespace(hip={hip!r}, cuda='12.8')\n"
                                              f"cuda = types.SimpleNamespace(is_available=lambda: {gpu})\n")

    def test_it_is_python(self):
        (self.folder / "script.py").write_text("import sys\nprint(sys.argv, __name__)\n")
        script = str(self.folder / "script.py")
        self.assertEqual(self.said(script, "a b", "--perf"), f"['{script}', 'a b', '--perf'] __main__")
        self.assertEqual(self.said("-m", "script", "-x"), f"['{script}', '-x'] __main__")
        self.assertEqual(self.said("-c", "import sys; print(sys.argv)", "1"), "['-c', '1']")
        self.assertEqual(self.start("-c", "raise SystemExit(7)").returncode, 7)

    def test_nothing_is_imported_before_torch(self):
        code = "import sys; print([name for name in ('torch', 'fmha950', 'numpy', 'pandas', 'ctypes', 'subprocess') if name in sys.modules])"
        self.assertEqual(self.said("-c", code), "[]")

    def test_children_have_it_too(self):
        code = "import subprocess, sys; print(subprocess.run([sys.executable, '-c', 'import torch'], capture_output=True, text=True).stderr)"
        self.torch(version="9.9")
        self.assertIn("fmha950.program.Error: torch 9.9:", self.said("-c", code))

    def test_who_asks_for_torch_first_gets_it_too(self):
        self.torch(version="9.9")
        for ask in ("importlib.util.find_spec('torch')", "importlib.util.find_spec('torch') and importlib.util.find_spec('torch')"):
            ran = self.start("-c", f"import importlib.util; {ask}; import torch")
            self.assertEqual((ran.returncode, "torch 9.9: fmha950's layer is for torch" in ran.stderr), (1, True), ran.stderr)

    def test_who_was_refused_is_refused_again(self):
        self.torch(version="9.9")
        code = ("for _ in range(2):\n"
                "    try: import torch\n"
                "    except ValueError as error: print(str(error)[:9])")
        self.assertEqual(self.said("-c", code), "torch 9.9\ntorch 9.9")

    def test_the_next_sitecustomize_is_imported(self):
        (self.folder / "sitecustomize.py").write_text("import sys; sys.seen_by_test = 5\n")
        self.assertEqual(self.said("-c", "import sys; print(sys.seen_by_test)"), "5")

    def test_what_it_sets(self):
        code = "import os; print(*(os.environ.get(name) for name in {}))"
        names = ["FMHA950_DEVICE_DIR", "FMHA950_TIMING_REPORT", "FMHA950_EMBEDDED"]
        self.assertEqual(self.said("-c", code.format(names)), f"{DEVICE} None None")
        self.assertEqual(self.said("--perf", "--embedded", "-c", code.format(names[1:]), FMHA950_TIMING_REPORT="mine"), "mine 1")

    def test_the_rocm_path_that_is_there(self):
        code = "import os; print(os.environ.get('ROCM_PATH'), os.environ['PATH'].split(':')[0])"
        variables = {"XDG_CACHE_HOME": str(self.folder / "cache"), "ROCM_PATH": ""}
        self.assertEqual(self.said("-c", code, **variables).split()[-1], "/usr/bin")
        self.assertFalse((self.folder / "cache").exists())  # it makes none
        made = subprocess.run([LAUNCHER, "--no-install", "device", "rocm-path", "--quiet"], capture_output=True, text=True, check=True,
                              env={**os.environ, **variables}).stdout.strip()
        self.assertEqual(self.said("-c", code, **variables), f"{made} {made}/bin")
        self.assertEqual(self.said("-c", code, **{**variables, "ROCM_PATH": "/mine"}), "/mine /usr/bin")

    def test_perf_shows_what_was_launched(self):
        ran = self.start("--perf", "-c", "import os, sys; print(os.environ['FMHA950_TIMING_REPORT']); sys.exit(4)")
        self.assertEqual((ran.returncode, ran.stderr), (4, "fmha950: --perf: nothing was launched\n"))
        self.assertFalse(pathlib.Path(ran.stdout.strip()).parent.exists())

    def test_perf_that_is_ended_ends_python(self):
        environment = {**os.environ, "PATH": f"/usr/bin:{os.environ['PATH']}", "TMPDIR": str(self.folder)}
        code = "import os, time; print(os.getpid(), flush=True); time.sleep(300)"
        for number, send in ((signal.SIGTERM, os.kill), (signal.SIGINT, os.killpg)):  # the keyboard's goes to the whole group
            with subprocess.Popen([LAUNCHER, "--no-install", "device", "python", "--perf", "-c", code], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, env=environment, start_new_session=True) as run:
                child = int(run.stdout.readline())
                send(run.pid, number)
                self.assertEqual(run.wait(60), 128 + number)
            with self.assertRaises(ProcessLookupError):
                os.kill(child, 0)
            self.assertEqual(os.listdir(self.folder), [])

    def test_perf_reads_what_is_on_stdin(self):
        ran = subprocess.run([LAUNCHER, "--no-install", "device", "python", "--perf", "-c", "print(input())"], input="5\n", capture_output=True,
                             text=True, check=False, env={**os.environ, "PATH": f"/usr/bin:{os.environ['PATH']}"})
        self.assertEqual(ran.stdout, "5\n")

    def test_perf_says_when_nothing_was_timed(self):
        launches = ("import ctypes, os; hip = ctypes.CDLL(os.environ['FMHA950_DEVICE_DIR'] + '/libamdhip64.so'); hip.hipDeviceSynchronize()")
        ran = self.start("--perf", "-c", launches, FMHA950_TIMING="samples,kernel=zzz")
        self.assertEqual((ran.returncode, ran.stderr), (0, "fmha950: --perf: nothing was timed: no launch, or none of FMHA950_TIMING = samples,kernel=zzz\n"))

    def test_options(self):
        ran = self.start("--fast", "-c", "pass")
        self.assertEqual((ran.returncode, "option --fast: must be --perf or --embedded" in ran.stderr), (2, True))
        self.assertIn("Usage: fmha950 device python", self.said("--help"))

    def test_torch_that_is_refused(self):
        for torch, why in ((dict(version="2.99"), "torch 2.99: fmha950's layer is for torch "), (dict(gpu=True), "torch sees a GPU"),
                           (dict(hip="6.4"), "torch is a ROCm build")):
            self.torch(**torch)
            ran = self.start("-c", "import torch")
            self.assertEqual((ran.returncode, why in ran.stderr), (1, True), ran.stderr)
        self.torch(gpu=True)
        self.assertNotIn("torch sees a GPU", self.start("--embedded", "-c", "import torch").stderr)


class Ranges(unittest.TestCase):
    def setUp(self):
        self.ranges = load("ranges").ranges

    def covered(self, sizes, strides, element=4):
        bytes_of = set()
        for begin, length in self.ranges(1000, sizes, strides, element):
            bytes_of |= set(range(begin, begin + length))
        return bytes_of

    def test_every_byte_of_every_element(self):
        for sizes, strides in (((3, 4), (4, 1)), ((4, 3), (1, 4)), ((3, 4), (8, 1)), ((3, 4), (8, 2)), ((5,), (0,)), ((), ()),
                               ((2, 3, 4), (1, 30, 6)), ((3, 3), (1, 1)), ((0, 4), (4, 1)), ((2, 2, 2), (40, 2, 9)), ((4, 3), (2, 1))):
            expected, indices = set(), [()]
            for size in sizes:
                indices = [(*index, i) for index in indices for i in range(size)]
            for index in indices:
                begin = 1000 + 4 * sum(i * stride for i, stride in zip(index, strides))
                expected |= set(range(begin, begin + 4))
            self.assertEqual(self.covered(sizes, strides), expected, (sizes, strides))

    def test_dense_ones_are_one_range(self):
        self.assertEqual(list(self.ranges(0, (2, 3, 4), (1, 8, 2), 2)), [(0, 48)])
        self.assertEqual(list(self.ranges(0, (2, 4), (8, 1), 2)), [(0, 8), (16, 8)])


class Runtime(unittest.TestCase):
    def test_reads_and_writes_in_place(self):
        os.environ.update(FMHA950_DEVICE_DIR=DEVICE, FMHA950_CHECK="uninitialised")
        hip = load("hip").hip
        address = hip.value("hipMalloc", ctypes.c_void_p, ctypes.c_size_t(64))
        ctypes.memset(address, 5, 8)
        hip.wrote([(address, 8)])
        hip.read([(address, 8)])
        self.assertEqual(hip.take_hazards(), "")
        hip.read([(address + 4, 8)])
        self.assertIn("the host reads 4 bytes at offset 8 of an allocation of 64", hip.take_hazards())
        with self.assertRaisesRegex(RuntimeError, "HIP error: hipErrorInvalidValue of fmha950HostRead: .*not device memory"):
            hip.read([(id(self), 4)])

    def test_libraries_that_are_not_the_device_s(self):
        os.environ["FMHA950_DEVICE_DIR"] = DEVICE
        module = load("hip")
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "libamdhip64.so"
            with self.assertRaisesRegex(module.Error, "is not there"):
                module.Hip(other)
            maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
            libc = next(line.split()[-1] for line in maps if "libc.so" in line)
            other.symlink_to(libc)
            with self.assertRaisesRegex(module.Error, "has no fmha950HostWrotePieces: must be the library of this version"):
                module.Hip(other)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
