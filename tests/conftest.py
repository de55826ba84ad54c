"""How Hypothesis searches, helpers whose asserts explain themselves, and the data of others beside the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("helpers")

# The same cases in every run; HYPOTHESIS_PROFILE=explore looks further. Deadlines would punish whichever case compiles.
settings.register_profile("ci", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the files that have slow tests, so that none of them is left for the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Games, positions and suites of others that are not part of the project; without them a test is skipped."""
    from helpers.data import SHARED_DATA

    if not SHARED_DATA.is_dir():
        pytest.skip("the test data ../shared/data is not here")
    return SHARED_DATA
