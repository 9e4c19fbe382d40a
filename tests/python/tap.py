# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes pytest report in the Test Anything Protocol: pytest -p tap."""
import pytest


class Tap:
    def __init__(self, config):
        self.capture = config.pluginmanager.getplugin("capturemanager")
        self.number = 0

    def write(self, text):
        with self.capture.global_and_fixture_disabled():
            print(text, flush=True)

    def point(self, result, name, directive="", details=""):
        self.number += 1
        self.write(f"{result} {self.number} {name.replace('#', '_')}{directive}")
        for line in str(details).splitlines():
            self.write(f"# {line}")

    def pytest_sessionstart(self, session):
        self.write("TAP version 13")

    def pytest_runtest_logreport(self, report):
        name = report.nodeid
        if report.failed:
            output = "\n".join(f"{title}\n{text}" for title, text in report.sections)
            self.point("not ok", f"{name} ({report.when})", details=f"{report.longrepr}\n{output}")
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.wasxfail
            self.point("ok", name, f" # SKIP {reason}")
        elif report.when == "call":
            self.point("ok", name)

    def pytest_collectreport(self, report):
        if report.failed:
            self.point("not ok", f"{report.nodeid} (collect)", details=report.longrepr)
        elif report.skipped:
            self.point("ok", report.nodeid, f" # SKIP {report.longrepr[2]}")

    def pytest_sessionfinish(self, session):
        self.write(f"1..{self.number}")


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(Tap(config), "tap-reporter")
