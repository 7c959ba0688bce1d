"""A callback plugin for Ansible. It prints one line of JSON when a task starts on a host, and one line for each result of a task.
The keys are event, host, task and result. bench.sh fleet reads these lines."""

from __future__ import annotations

import json
from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
    name: ecbench_events
    type: stdout
    short_description: prints each start and each result of a task as one line of JSON
    description:
        - bench.sh fleet reads these lines.
"""

KEPT = ("msg", "stdout", "stderr", "module_stderr", "rc", "reason")
MOST_CHARACTERS = 4000  # of each value


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "ecbench_events"

    def v2_runner_on_start(self, host: Any, task: Any) -> None:
        self._print("start", host, task, {})

    def v2_runner_on_ok(self, result: Any) -> None:
        self._print_result("ok", result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        self._print_result("ignored" if ignore_errors else "failed", result)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        self._print_result("unreachable", result)

    def v2_runner_retry(self, result: Any) -> None:
        self._print_result("retry", result)

    def _print_result(self, event: str, result: Any) -> None:
        self._print(event, result._host, result._task, result._result)

    def _print(self, event: str, host: Any, task: Any, values: dict[str, Any]) -> None:
        kept = {key: str(values[key])[:MOST_CHARACTERS] for key in KEPT if key in values}
        self._display.display(json.dumps({"event": event, "host": host.get_name(), "task": task.get_name(), "result": kept}))
