"""How Hypothesis searches, helpers whose asserts explain themselves, and the data of others beside the project."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from starlette.testclient import TestClient

    from doors.sources import Source

pytest.register_assert_rewrite("helpers")

from helpers.depth import NIGHT, depth  # noqa: E402

#: The folder of what the page keeps of its user: no test reads or writes the real one.
_kept = tempfile.TemporaryDirectory()
os.environ["SETWISE_PROGRESS"] = str(Path(_kept.name, "solving.json"))
from helpers.skips import unlisted  # noqa: E402

# A shell that starts the tests in the background lets them ignore Ctrl-C, and with them each process that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Where it is set, as in many images of Docker, each process that a test starts would compile 500 modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# By day the same cases in every run, by night others and many more. Deadlines would punish whichever case compiles.
_usual = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("day", _usual, max_examples=30, derandomize=True, database=None)
settings.register_profile("night", _usual, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", depth("day", "night")))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests of the night to it; start with the files that have slow tests, so that none is left for the end."""
    if not NIGHT:
        later = [item for item in items if item.get_closest_marker("nightly")]
        if later:
            config.hook.pytest_deselected(items=later)
            items[:] = [item for item in items if not item.get_closest_marker("nightly")]
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """What was collected stays until the end: Python's collector need not walk its half a million objects each time."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where skips are counted, as in ``.ci/run``, fail a run that skips something for a reason that is not listed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if "SETWISE_SKIPS" not in os.environ or reporter is None:
        return
    skipped = [it.longrepr[2] for it in reporter.stats.get("skipped", ()) if isinstance(it.longrepr, tuple)]
    if others := sorted(set(unlisted(skipped))):
        reporter.write_line("skipped, and not listed in tests/skips.toml: " + "; ".join(others), red=True)
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Games, positions and suites of others that are not part of the project; without them a test is skipped."""
    from helpers.data import SHARED_DATA

    if not SHARED_DATA.is_dir():
        pytest.skip("the test data ../shared/data is not here")
    return SHARED_DATA


@pytest.fixture(scope="session")
def sources_of_doors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Source]:
    """The games of ``doors`` as every kind of source."""
    from doors.sources import all_sources

    return all_sources(tmp_path_factory.mktemp("doors"))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a workbench on the famous games."""
    from helpers.browser import served

    yield from served()


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    """A browser, once the workbench serves."""
    from helpers.browser import launched

    yield from launched()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page of the workbench that complains of every error, and of every request to another place."""
    from helpers.browser import opened_page

    yield from opened_page(browser, address)


@pytest.fixture(scope="module")
def bench() -> Iterator[TestClient]:
    """A client of the workbench on the famous games, in this process."""
    from starlette.testclient import TestClient

    from helpers.data import FAMOUS_GAMES
    from setwise.web.server import application

    app = application([str(FAMOUS_GAMES)])
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client
