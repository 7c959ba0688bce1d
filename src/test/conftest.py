"""Gives each test in Python a marker: its tier (Makefile)."""

import importlib.util
import os
import pathlib
import tempfile

import pytest

collect_ignore = [] if importlib.util.find_spec("selenium") else ["page"]  # make test-page installs selenium

ROOT = pathlib.Path(__file__).parent
FOLDERS = {"scripts": "quick", "wording": "quick", "scenes": "test", "system": "system", "page": "page"}

# The tests with another tier than that of their folder: files, or the beginning of FILE::CLASS::TEST.
# - test: takes seconds of CPU time
# - all: takes more than two seconds, and another test goes the same way through the mode; also error rates, forgeries,
#   builds and profilers
TIERS = {
    "test": (
        "scripts/bench_output_test.py",
        "scripts/stored_runs_test.py",
        "scripts/written_files_test.py",
    ),
    "all": (
        "scripts/fleet_outliers_test.py::Distribution",
        "scripts/fleet_outliers_test.py::Outliers::test_none_among_equals",
        "scripts/malformed_runs_test.py",
        "scripts/plan_simulation_test.py",
        "scripts/confidence_test.py::Changes",
        "scripts/confidence_test.py::Ranking",
        "scripts/page_points_test.py::OfRuns::test_the_summary_of_many_points_is_short_enough_to_paste",
        "scripts/report_check_test.py::Check::test_damaged_runs",
        "scripts/report_check_test.py::Check::test_stored_runs_pass",
        "scripts/stored_runs_test.py::Page",
        "scripts/written_files_test.py::Modes",
        "scenes/bad_input_scene.py::BadInput::test_input_that_does_not_end",
        "scenes/bench_check_scene.py::BeforeTheBuild::test_wrong_arguments_of_every_mode_are_refused",
        "scenes/budget_scene.py",
        "scenes/build_scene.py",
        "scenes/real_callgrind_scene.py",
        "scenes/ci_scene.py",
        "scenes/codec_lib_scene.py",
        "scenes/dispatch_scene.py::Dispatch::test_every_loss_is_recovered_at_every_level",
        "scenes/docs_scene.py",
        "scenes/faults_scene.py::FplotFaults",
        "scenes/faults_scene.py::PlanFaults",
        "scenes/fleet_ansible_scene.py",
        "scenes/gate_ir_scene.py::ByCallgrind",
        "scenes/gate_revisions_scene.py",
        "scenes/install_scene.py",
        "scenes/loading_scene.py",
        "scenes/plan_scene.py::Plan::test_a_long_count_is_announced",
        "scenes/plan_scene.py::Plan::test_the_page",
        "scenes/plugin_check_scene.py::PluginCheck::test_a_plugin_that_needs_parameters_is_not_called_wrong",
        "scenes/plugin_check_scene.py::PluginCheck::test_faults_of_large_chunks_are_found",
        "scenes/real_profile_scene.py",
        "scenes/real_time_scene.py",
        "scenes/restore_pool_scene.py::RandomCases",
        "scenes/real_samplers_scene.py",
        "scenes/verdicts_scene.py::Failures",
        "scenes/wrong_bytes_scene.py::WrongBytes::test_a_function_that_stops_writing",
        "scenes/wrong_bytes_scene.py::WrongBytes::test_a_background_from_its_first_calls_or_that_stops_writing",
        "scenes/wrong_bytes_scene.py::WrongBytes::test_measurements_to_which_a_fault_does_not_apply",
    ),
}


MEMORY = "/dev/shm"
NEEDED = 2 << 30  # bytes, for the builds inside tests


def has_room(folder: str) -> bool:
    """Whether programs and builds of tests can be there."""
    if not os.access(folder, os.W_OK):
        return False
    facts = os.statvfs(folder)
    return not facts.f_flag & os.ST_NOEXEC and facts.f_bavail * facts.f_frsize >= NEEDED


def pytest_configure(config: pytest.Config) -> None:
    # The modes write each row to the disk, which takes milliseconds. In memory, it takes microseconds.
    if "TMPDIR" not in os.environ and has_room(MEMORY):
        os.environ["TMPDIR"] = tempfile.tempdir = MEMORY
    for tier in ("quick", "test", "all", "system", "page"):
        config.addinivalue_line("markers", f"{tier}: a tier of the tests (conftest.py)")
    for beginning in (beginning for beginnings in TIERS.values() for beginning in beginnings):
        if not (ROOT / beginning.partition("::")[0]).is_file():
            raise pytest.UsageError(f"{beginning} in conftest.py is no test; correct the list of tiers")


def tier_of(test: str) -> str:
    tiers = [tier for tier, beginnings in TIERS.items() for beginning in beginnings if f"{test}::".startswith(f"{beginning}::")]
    return tiers[-1] if tiers else FOLDERS[test.partition("/")[0]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(tier_of(str(item.path.relative_to(ROOT)) + "::" + item.nodeid.partition("::")[2]))
