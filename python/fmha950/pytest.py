"""pytest -p fmha950.pytest: hazards and faults of the embedded device fail the test that launched (docs/python.md, "In pytest")."""

import os
import re
import unittest

import pytest

from fmha950.findings import CLASSES
from fmha950.loaded_device import Refused
from fmha950.program import Error
from fmha950.watch import Found, Watch

SCHEDULE = "fmha950_schedule"
WORKER = "fmha950"  # what a process of xdist hands back
PLACE_FORM = "CLASS:FILE:LINE or CLASS:SYMBOL+0xOFFSET (docs/hazards.md)"
PLACE = re.compile(r"(\w+|\*):(\S+:\d+|\S+\+0x[0-9a-f]+)")
SKIPS = (pytest.skip.Exception, unittest.SkipTest)


class DeviceFailure(pytest.fail.Exception):
    """The device found an error in a phase of a test, or faulted. xfail(raises=fmha950.pytest.DeviceFailure) expects it."""

    def __init__(self, found: Found):
        super().__init__(found.text(), pytrace=False)


def pytest_addoption(parser):
    parser.getgroup("fmha950").addoption(
        "--fmha950-schedules", metavar="NAMES", default="",
        help="run each test function once under each of these schedules of the embedded device, comma-separated; '+' joins memory and "
             "waves: timed,eager,lazy,random:1,lazy+starve:3")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    _start(early_config)  # before a conftest.py makes the first HIP call, which reads the environment


def pytest_configure(config):
    _start(config)  # where a conftest.py names the plugin
    config.addinivalue_line("markers", f"fmha950(allow): findings of the embedded device that the test may have: a text or a list, {PLACE_FORM}")


def _start(config):
    if not config.pluginmanager.has_plugin(WatchedTests.NAME):
        try:
            watch = Watch()
        except (Error, Refused) as error:
            raise pytest.UsageError(str(error)) from error
        config.pluginmanager.register(WatchedTests(watch), WatchedTests.NAME)


@pytest.fixture(name=SCHEDULE)
def _schedule(request):
    """The schedule of the embedded device under which the test runs."""
    return getattr(request, "param", None) or os.environ.get("FMHA950_SCHEDULE", "timed")


@pytest.hookimpl(trylast=True)  # the last part of a test's id
def pytest_generate_tests(metafunc):
    if schedules := metafunc.config.getoption("--fmha950-schedules"):
        if SCHEDULE not in metafunc.fixturenames:
            metafunc.fixturenames.append(SCHEDULE)
        metafunc.parametrize(SCHEDULE, schedules.split(","), indirect=True)


def _schedule_of(item):
    """In the device's words; None of what pytest cannot repeat."""
    name = getattr(item, "callspec", None) and item.callspec.params.get(SCHEDULE)
    return name and (name if name.startswith("timed:") else name.replace("+", ","))


def _allowed(item):
    """Lines of a suppression file; for each the marker's text, and whether the marker is the test's own, not its class's or file's."""
    lines = {}
    for node, marker in item.iter_markers_with_node("fmha950"):
        texts = marker.kwargs.get("allow")
        texts = [texts] if isinstance(texts, str) else texts
        if marker.args or set(marker.kwargs) != {"allow"} or not isinstance(texts, (list, tuple)):
            raise Refused(f"marker fmha950: must be fmha950(allow=...) with a text or a list of them, {PLACE_FORM}")
        for text in texts:
            if not (parts := PLACE.fullmatch(str(text))):
                raise Refused(f"marker fmha950(allow={text!r}): must be {PLACE_FORM}")
            if parts[1] not in (*CLASSES, "*"):
                raise Refused(f"marker fmha950(allow={text!r}): class {parts[1]} must be one of {', '.join(CLASSES)}, or * for all")
            lines[" ".join(parts.groups())] = text, node is item
    return lines


class WatchedTests:
    """The hooks that ask the device, in each process that runs tests."""

    NAME = "fmha950 watched tests"

    def __init__(self, watch):
        self.watch = watch
        self.item, self.unused, self.was_called = None, {}, False
        self.found = Found()  # that no report has yet
        self.of_wider = Found()  # before the test and in fixtures that a rerun of it does not set up again
        self.late = Found()  # behind the last test
        self.seen = False

    def _ask(self):
        found, used = self.watch.take()
        for line in used:
            self.unused.pop(line, None)
        self.found += found
        return found

    # Inside of all other wrappers, so that what kernels print while the device is waited for is captured with the phase.
    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_setup(self, item):
        self._begin(item)
        yield
        self._ask()

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self):
        outcome = yield
        self._ask()
        self.was_called = outcome.excinfo is None

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_teardown(self, item):
        yield
        self._ask()
        self._say_unused(item)

    def _begin(self, item):
        self.found = self.of_wider = self.found + (self.of_wider if item is self.item else Found())
        self.item, self.unused, self.was_called = item, {}, False
        try:
            self.unused = _allowed(item)
            self.watch.allow(self.unused)
            if item.config.getoption("--fmha950-schedules"):
                self.watch.schedule(_schedule_of(item))
        except Refused as error:
            self.found += Found(stops=[str(error)])

    def _say_unused(self, item):
        if not self.was_called or self.watch.others_ran():
            return  # of other processes nobody knows what they accepted
        for text in (text for text, is_own in self.unused.values() if is_own):
            try:
                item.warn(pytest.PytestWarning(f"fmha950(allow={text!r}) of {item.nodeid}: the test has no such finding"))
            except pytest.PytestWarning as error:  # a filter makes it an error
                self.found += Found(stops=[str(error)])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        is_wider = fixturedef.scope != "function"
        if is_wider:
            self._ask()
        outcome = yield
        if is_wider:
            found = self._ask()
            if outcome.excinfo is None:
                self.of_wider += found

    # Before unittest's and skipping's, which look at call.excinfo when this has set it.
    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        found, self.found = self.found, Found()
        failure = None
        if found.fails() and (call.excinfo is None or isinstance(call.excinfo.value, SKIPS)):
            failure = call.excinfo = _raised(DeviceFailure(found))
        outcome = yield
        if found and (failure is None or call.excinfo is not failure):
            outcome.get_result().sections.append((f"fmha950 {call.when}", found.text()))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector):
        if not isinstance(collector, pytest.File):
            yield
            return
        self._ask()
        before, self.found = self.found, Found()  # of a conftest.py: the first test has it
        outcome = yield
        self._ask()
        of_file, self.found = self.found, before
        if of_file.fails():
            report = outcome.get_result()
            report.outcome, report.result, report.longrepr = "failed", [], of_file.text()

    def pytest_collection_modifyitems(self, config, items):
        if config.getoption("--fmha950-schedules"):
            for item in items:
                if not _schedule_of(item):
                    item.warn(pytest.PytestWarning(f"--fmha950-schedules: {item.nodeid} is no test function, and runs once"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        self._ask()
        self.late += self.found
        self.seen |= self.watch.saw_device()
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[WORKER] = (self.seen, self.late.findings, self.late.stops)
        elif self.late.fails() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        seen, findings, stops = getattr(node, "workeroutput", {}).get(WORKER, (False, [], []))
        self.seen |= seen
        self.late += Found(findings, stops)

    def pytest_report_header(self):
        return f"fmha950: checks {os.environ['FMHA950_CHECK']}"

    def pytest_terminal_summary(self, terminalreporter, config):
        if self.late:
            terminalreporter.section("fmha950: found after the last test")
            terminalreporter.line(self.late.text())
        if not self.seen and not config.option.collectonly:
            terminalreporter.line("fmha950: nothing was checked: no test loaded the embedded device, nor started a process that used it",
                                  yellow=True)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self):
        self.watch.close()


def _raised(error):
    try:
        raise error
    except DeviceFailure:
        return pytest.ExceptionInfo.from_current()
