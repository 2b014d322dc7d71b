"""doctor_test.py DEVICE_FOLDER CLANG: in every bad environment that is planted here the doctor says what is wrong, and in a good one
nothing. Libraries that are no device's are compiled here."""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

DEVICE, CLANG = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = "libamdhip64.so"
BUILD_ID = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"
sys.path[:0] = [str(ROOT / "clients/doctor"), str(ROOT / "clients/rocm")]

import compilers
import libraries
import packages
import variables

# A HIP runtime whose one device is a gfx942.
OTHER_GPU = """
#include <string.h>
int hipRuntimeGetVersion(int* v) { *v = 60400000; return 0; }
int hipGetDeviceCount(int* v) { *v = 1; return 0; }
int hipDeviceGetAttribute(int* v, int a, int d) { *v = 1; return 0; }
int hipDeviceTotalMem(unsigned long* v, int d) { *v = 1; return 0; }
int hipDeviceGetName(char* t, int n, int d) { strcpy(t, "other"); return 0; }
int hipDeviceGetPCIBusId(char* t, int n, int d) { strcpy(t, "0"); return 0; }
int hipDeviceGetUuid(char* t, int d) { memset(t, 'x', 16); return 0; }
int hipGetDevicePropertiesR0600(char* p, int d) { strcpy(p + 1160, "gfx942:sramecc+:xnack-"); return 0; }
"""
ENDS_ITS_PROGRAM = "#include <stdlib.h>\n__attribute__((constructor)) static void ends(void) { abort(); }\n"
EMPTY = "int nothing;\n"


def write(file, text, mode=0o644):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)
    return file


class Doctor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        for name in ("include/hip/hip_runtime.h", "amdgcn/bitcode/oclc_isa_version_950.bc", "amdgcn/bitcode/ocml.bc"):
            write(self.work / "hip" / name, "")
        python = "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n"
        write(self.work / "bin/python3", python, 0o755)
        self.package("torch-2.7.0", "Name: torch\nVersion: 2.7.0\n")
        self.variables = {"PATH": f"{self.work}/bin:/usr/bin:/bin", "HOME": str(self.work), "XDG_CACHE_HOME": str(self.work / "cache"),
                          "PYTHONPATH": str(self.work / "packages"), "FMHA950_HIP_HOME": str(self.work / "hip")}

    def package(self, name, metadata, files=""):
        for old in (self.work / "packages").glob("*/*"):
            old.unlink()
            with contextlib.suppress(OSError):
                old.parent.rmdir()
        write(self.work / f"packages/{name}.dist-info/METADATA", f"Metadata-Version: 2.1\n{metadata}")
        write(self.work / f"packages/{name}.dist-info/RECORD", files)

    def tree(self):
        return subprocess.run([sys.executable, "-B", ROOT / "clients/rocm/tree.py", CLANG, DEVICE, "--quiet"], env=self.variables,
                              capture_output=True, text=True, check=True).stdout.strip()

    def good(self):
        tree = self.tree()
        return {"ROCM_PATH": tree, "PATH": f"{tree}/bin:{self.variables['PATH']}", "LD_LIBRARY_PATH": str(DEVICE)}

    def examine(self, device=DEVICE, words=("--json",), **more):
        return subprocess.run(["/usr/bin/python3", "-B", ROOT / "clients/doctor/doctor.py", CLANG, device, "", *words], env={**self.variables, **more},
                              capture_output=True, text=True, check=False)

    def says(self, environment, *wanted, **how):
        """What the whole command says there: of each (check, state, text) a finding. Each that is not ok says what to do, and problems make
        the exit code 1."""
        ran = self.examine(**how, **environment)
        report = json.loads(ran.stdout)
        problems = sum(each["state"] == "problem" for each in report["checks"])
        self.assertEqual((report["problems"], ran.returncode), (problems, 1 if problems else 0))
        for each in report["checks"]:
            self.assertEqual(each["do"] == "", each["state"] == "ok", each)
        for check, state, text in wanted:
            self.assertTrue(any((each["check"], each["state"]) == (check, state) and text in each["found"] for each in report["checks"]),
                            f"{check} is not {state}, {text!r}: {report['checks']}")

    def among(self, findings, state, text):
        findings = list(findings)
        self.assertTrue(any(finding.state == state and text in finding.found for finding in findings), f"not {state}, {text!r}: {findings}")

    def seen(self, **more):
        return libraries.Libraries(DEVICE, {**self.variables, **more})

    def library(self, source, name=LIBRARY, folder="other"):
        """Path of a library compiled from C."""
        file = self.work / folder / name
        file.parent.mkdir(exist_ok=True)
        subprocess.run([CLANG, "-xc", "-", "-shared", "-fPIC", "-o", file], input=source, text=True, check=True, capture_output=True)
        return file

    def another_build(self):
        contents = (DEVICE / LIBRARY).read_bytes()
        at = contents.index(BUILD_ID) + len(BUILD_ID)
        folder = self.work / "another"
        folder.mkdir()
        for name in (LIBRARY, *(f"{LIBRARY}.{number}" for number in (5, 6, 7))):
            (folder / name).write_bytes(contents[:at] + bytes([contents[at] ^ 1]) + contents[at + 1:])
        return folder

    def test_a_good_environment_is_all_right(self):
        ran = self.examine(words=(), **self.good())
        self.assertEqual(ran.returncode, 0, ran.stdout)
        states = {line.split()[0] for line in ran.stdout.splitlines()[:-1]}
        self.assertLessEqual(states, {"ok", "note", "do:"}, ran.stdout)
        for check in ("library", "build", "arch", "preload", "rocm-path", "linker", "bitcode", "torch"):
            self.assertRegex(ran.stdout, rf"(?m)^ok\s+{check} ")
        self.assertRegex(ran.stdout.splitlines()[-1], r"^0 problems, \d+ notes, \d+ ok$")

    def test_the_command_line(self):
        ran = self.examine(words=("--loud",))
        self.assertEqual((ran.returncode, ran.stdout), (3, ""))
        self.assertIn("--loud", ran.stderr)

    def test_a_fresh_shell_has_notes_alone(self):
        self.says({}, ("library", "note", "finds none"), ("rocm-path", "note", "is not set"))

    def test_a_library_that_is_not_built(self):
        self.says({}, ("library", "problem", "is not there"), device=self.work)

    def test_everything_at_once(self):
        """What is wrong in several places is said of each, and the exit code is that of a problem."""
        self.says({"LD_LIBRARY_PATH": str(self.work), "TRITON_LIBHIP_PATH": "/none", "ROCM_PATH": "/none", "TRITON_HIP_LLD_PATH": "/bin/false",
                   "LD_PRELOAD": "/none.so", "GPU_ARCHS": "gfx942", "FMHA950_SHEDULE": "eager", "FMHA950_THREADS": "0"},
                  ("library", "problem", "finds none, though LD_LIBRARY_PATH is set"), ("library", "problem", "TRITON_LIBHIP_PATH = /none"),
                  ("arch", "problem", "GPU_ARCHS = gfx942"), ("preload", "problem", "/none.so: is no file"),
                  ("rocm-path", "problem", "/none: is no folder"), ("linker", "problem", "/bin/false (TRITON_HIP_LLD_PATH)"),
                  ("linker", "problem", "/none/llvm/bin/ld.lld (ROCM_PATH)"), ("torch", "ok", "torch 2.7.0: fmha950 device python"),
                  ("variables", "problem", "FMHA950_SHEDULE: nothing reads"), ("variables", "problem", "FMHA950_THREADS = 0: must be"))

    def test_libraries_of_others(self):
        folder = self.library(OTHER_GPU, f"{LIBRARY}.6").parent
        self.says({"LD_LIBRARY_PATH": f"{folder}:{DEVICE}"},
                  ("library", "problem", f"{LIBRARY}.6: a program gets {folder}/{LIBRARY}.6, no library of fmha950"),
                  ("arch", "problem", "gfx942, must be gfx950"))
        self.among(libraries.check_library(self.seen(LD_LIBRARY_PATH=str(self.another_build()))), "problem", "of another build")
        self.among(libraries.check_library(self.seen(LD_LIBRARY_PATH=str(self.library(ENDS_ITS_PROGRAM).parent))), "problem", "loading it ends a program")

    def test_rocm_beside_it(self):
        seen = self.seen(LD_LIBRARY_PATH=str(DEVICE))
        beside = self.library(EMPTY).parent
        self.assertEqual({finding.state for finding in libraries.check_library(seen, beside)}, {"ok", "note"})
        self.assertEqual({finding.state for finding in libraries.check_library(seen, DEVICE)}, {"ok"})

    def test_sources_that_are_newer(self):
        seen, built = self.seen(), (DEVICE / LIBRARY).stat().st_mtime
        source = write(self.work / "checkout/emulator/hip/device.cpp", "")
        for age, state, said in ((-1, "ok", "as they are"), (1, "problem", "emulator/hip/device.cpp")):
            os.utime(source, (built + age, built + age))
            self.among(libraries.check_build(seen, self.work / "checkout"), state, said)

    def test_architectures_that_are_chosen(self):
        seen = self.seen()
        for name, value, state in (("GPU_ARCHS", "gfx942", "problem"), ("PYTORCH_ROCM_ARCH", "gfx950;gfx90a", "problem"),
                                   ("HSA_OVERRIDE_GFX_VERSION", "9.4.2", "problem"), ("HSA_OVERRIDE_GFX_VERSION", "9.5.0", "ok"), ("GPU_ARCHS", "native", "ok"),
                                   ("FLYDSL_GPU_ARCH", "gfx950", "ok")):
            seen.variables = {name: value}
            self.among(libraries.check_arch(seen, None), state, f"{name} = {value}" if state == "problem" else "gfx950:")
        seen.variables = {}
        for said in ("gfx942\n", "", "gfx000\ngfx950\n"):
            self.among(libraries.check_arch(seen, said), "problem", f"says {' '.join(said.split()) or 'nothing'}")
        self.among(libraries.check_arch(seen, "gfx950\n"), "ok", "gfx950:")

    def test_an_enumerator_on_the_path_is_asked(self):
        write(self.work / "bin/rocm_agent_enumerator", "#!/bin/sh\necho gfx942\n", 0o755)
        self.says({}, ("arch", "problem", "says gfx942"))

    def test_what_is_preloaded(self):
        seen, llvm, other = self.seen(), self.library(EMPTY, "libLLVM.so.22"), self.library(OTHER_GPU)
        harmless, own = self.library(EMPTY, "harmless.so"), DEVICE / LIBRARY
        needs = subprocess.run(["ldd", own], capture_output=True, text=True, check=True).stdout
        for preloaded, state, said in ((llvm, "problem", f"{llvm}: libtriton"), (f"{harmless}:{other}", "problem", f"{other}: another libamdhip64"),
                                       (harmless, "ok", "harmless"), (own, *(("problem", "for all to bind to") if "libLLVM" in needs else ("ok", str(own))))):
            seen.variables = {"LD_PRELOAD": str(preloaded)}
            self.among(libraries.check_preload(seen), state, said)

    def test_a_gpu_beside_it(self):
        states = [[finding.state for finding in libraries.check_gpu(path)] for path in (write(self.work / "kfd", ""), self.work / "none")]
        self.assertEqual(states, [["note"], ["ok"]])

    def test_rocm_path(self):
        self.among(self.of_rocm_path({"ROCM_PATH": str(self.work)}, None), "note", "is not made by")
        tree = self.tree()
        self.among(self.of_rocm_path({"ROCM_PATH": tree}, "gfx950"), "ok", tree)
        self.among(self.of_rocm_path({"ROCM_PATH": tree}, None), "problem", "rocm_agent_enumerator is not on the PATH")
        write(self.work / "hip/wheel", "another set-up\n")
        self.among(self.of_rocm_path({"ROCM_PATH": tree}, "gfx950"), "problem", "of another build or set-up")

    def of_rocm_path(self, more, agents):
        """The finding, in an environment whose cache and set-up are the test's."""
        with mock.patch.dict(os.environ, {**self.variables, **more}):
            return list(compilers.check_rocm_path(CLANG, DEVICE, {**self.variables, **more}, agents))

    def test_linkers(self):
        def found(clang=CLANG, **more):
            return compilers.check_linker(clang, "gfx950", {**self.variables, **more})

        write(self.work / "bin/ld.lld", "#!/bin/sh\necho too old >&2\nexit 1\n", 0o755)
        self.among(found(), "note", "too old")
        self.among(found(TRITON_HIP_LLD_PATH="/bin/false"), "problem", "/bin/false (TRITON_HIP_LLD_PATH)")
        self.among(found(ROCM_PATH=str(self.work)), "problem", f"{self.work}/llvm/bin/ld.lld (ROCM_PATH)")
        self.among(found("clang-none"), "problem", "clang-none: does not assemble")
        compiler = write(self.work / "alone/clang", f"#!/bin/sh\nexec {CLANG} \"$@\"\n", 0o755)
        self.among(found(str(compiler)), "problem", f"{compiler.parent}/ld.lld ({compiler})")
        (self.work / "bin/ld.lld").unlink()
        self.among(found(ROCM_PATH=self.tree()), "ok", "llvm/bin/ld.lld")

    def test_device_libraries(self):
        for more, state, said in (({"ROCM_PATH": str(self.work)}, "problem", "has no amdgcn/bitcode/ocml.bc"),
                                  ({"FMHA950_HIP_HOME": "/none"}, "note", "no HIP headers"), ({}, "ok", str(self.work / "hip"))):
            with mock.patch.dict(os.environ, {**self.variables, **more}):
                self.among(compilers.check_bitcode(dict(os.environ)), state, said)

    def test_torch(self):
        def found():
            return packages.check_torch(packages.torch_of(self.variables))

        self.among(found(), "ok", "torch 2.7.0")
        self.package("torch-2.5.1", "Name: torch\nVersion: 2.5.1\n")
        self.among(found(), "problem", "torch 2.5.1: must be of 1.13 or 2.6 to 2.9")
        self.package("torch-2.7.1+rocm6.3", "Name: torch\nVersion: 2.7.1+rocm6.3\n", "torch/lib/libamdhip64.so,,\n")
        self.among(found(), "problem", "torch 2.7.1+rocm6.3 brings torch/lib/libamdhip64.so")
        for script, state, said in (("echo null", "note", "has no torch"), ("exit 9", "problem", "ended with 9")):
            write(self.work / "bin/python3", f"#!/bin/sh\n{script}\n", 0o755)
            self.among(found(), state, said)
        for version, state in (("2.6.0", "ok"), ("2.9.1+cu128", "ok"), ("1.13.0a0", "ok"), ("2.10.0", "problem"), ("99.0", "problem")):
            self.among(packages.check_torch({"version": version, "hip": []}), state, version)

    def test_variables(self):
        def found(**more):
            return variables.check_variables(DEVICE / LIBRARY, {**self.variables, **more})

        (finding, *_) = found(FMHA950_SHEDULE="eager")
        self.assertEqual(finding.do, "FMHA950_SHEDULE=eager should perhaps be FMHA950_SCHEDULE")
        wrong = list(found(FMHA950_SCHEDULE="bogus", FMHA950_THREADS="0"))
        for text in ("FMHA950_SCHEDULE = bogus: ", "FMHA950_THREADS = 0: "):
            self.among(wrong, "problem", text)
        self.assertEqual(len(wrong), 2)
        self.among(found(FMHA950_QUIET="1", FMHA950_SCHEDULE="eager"), "ok", "FMHA950_QUIET")
        for name, value in (("SCHEDULE", "pct:1"), ("CHECK", "all"), ("TIMING", "chiplet"), ("THREADS", "1"), ("SIMD", "baseline")):
            self.among(variables.check_slow({f"FMHA950_{name}": value}), "note", f"FMHA950_{name} = {value}: slow")
        self.assertEqual(list(variables.check_slow({"FMHA950_CHECK": "none", "FMHA950_SCHEDULE": "timed:cold", "FMHA950_TIMING": "off"})), [])

    def test_pages_name_every_variable_that_is_read(self):
        read = re.compile(r'(?:getenv\(|environ(?:\.get)?[(\[]|\$\{)"?(FMHA950_[A-Z0-9_]+)|\{"(FMHA950_[A-Z_]+)", "')
        found = set()
        for folder in ("emulator", "harness", "interface", "operators", "workload", "clients", "python", "analysis"):
            for file in (ROOT / folder).rglob("*.*"):
                if file.suffix in (".cpp", ".hpp", ".py", ".sh"):
                    found |= {name for groups in read.findall(file.read_text(encoding="utf-8")) for name in groups if name}
        self.assertGreater(len(found), 15)
        self.assertIn("FMHA950_SCHEDULE", found)
        self.assertLessEqual(found, variables.known())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
