"""Gives each test in Python a marker: its tier. `make test-quick` runs quick; `make test` runs quick and test; `make test-all` also
runs all; `make test-system` and `make test-page` run system and page."""

import importlib.util
import pathlib

import pytest

collect_ignore = [] if importlib.util.find_spec("selenium") else ["page"]  # make test-page installs selenium

ROOT = pathlib.Path(__file__).parent
FOLDERS = {"scripts": "quick", "wording": "quick", "scenes": "test", "system": "system", "page": "page"}

# The tests with another tier than that of their folder: files, or the beginning of FILE::CLASS::TEST.
# - test: takes seconds of CPU time
# - all: rates of errors, forgeries, files with mutations, builds inside tests, profilers, every command of the docs
TIERS = {
    "test": (
        "scripts/bench_output_test.py",
        "scripts/findings_test.py",
        "scripts/site_test.py",
        "scripts/stored_runs_test.py",
        "scripts/written_files_test.py",
    ),
    "all": (
        "scripts/fleet_outliers_test.py::Distribution",
        "scripts/fleet_outliers_test.py::Outliers::test_none_among_equals",
        "scripts/malformed_runs_test.py",
        "scripts/mixed_result_test.py::ErrorRates",
        "scripts/plan_simulation_test.py",
        "scripts/ranking_rates_test.py",
        "scripts/share_test.py::Check::test_forgeries",
        "scripts/share_test.py::Check::test_stored_runs_pass_or_are_explained",
        "scenes/build_scene.py",
        "scenes/callgrind_scene.py",
        "scenes/ci_scene.py",
        "scenes/codec_lib_scene.py",
        "scenes/docs_scene.py",
        "scenes/external_plugin_scene.py",
        "scenes/gate_revisions_scene.py",
        "scenes/install_deps_scene.py",
        "scenes/install_scene.py",
        "scenes/profile_scene.py",
        "scenes/samplers_scene.py",
    ),
}


def pytest_configure(config: pytest.Config) -> None:
    for tier in ("quick", "test", "all", "system", "page"):
        config.addinivalue_line("markers", f"{tier}: a tier of the tests (conftest.py)")


def tier_of(test: str) -> str:
    tiers = [tier for tier, beginnings in TIERS.items() for beginning in beginnings if f"{test}::".startswith(f"{beginning}::")]
    return tiers[0] if tiers else FOLDERS[test.partition("/")[0]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(tier_of(str(item.path.relative_to(ROOT)) + "::" + item.nodeid.partition("::")[2]))
