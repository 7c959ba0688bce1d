"""A measuring mode as data: its words and options, and the question that it asks."""

import argparse
import dataclasses
import sys
from collections.abc import Callable, Iterable

from ecbench.comparison.figures import Question
from ecbench.measure import resume, session
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.terminal.arguments import Parser

TABLE = "table (default), or json: "


@dataclasses.dataclass(frozen=True)
class Mode:
    name: str
    question: Question | None  # None: it compares nothing
    examples: str
    description: str
    words: str  # explains the words
    axes: Iterable[str]
    read: Callable[[argparse.Namespace], object]  # throws Refused for errors that can be found without ecbench
    json: str = ""  # what --format json prints; empty: the mode has no --format
    options: Callable[[Parser], object] = lambda _: None
    of_rounds: Callable[[Parser], object] = session.add_arguments
    word: str = "KEY=VALUES"
    page: str = ""  # the default of --page; empty: the mode has no --page
    verbose: str = "print all warnings"
    interrupted: str = "interrupted before the first point"

    def parser(self) -> Parser:
        parser = Parser(mode=self.name, examples=self.examples, description=self.description, epilog=self.words, axes=self.axes)
        parser.add_argument("words", nargs="*", metavar=self.word)
        self.options(parser)
        if self.json:
            parser.add_argument("--format", choices=("table", "json"), default="table", help=TABLE + self.json)
        if self.page:
            parser.add_argument("--page", metavar="FILE", help=f"the HTML page (default: {self.page})")
        self.of_rounds(parser)
        parser.add_argument("--verbose", action="store_true", help=self.verbose)
        return parser

    def check(self, words: list[str]) -> None:
        """Throws Refused."""
        if arguments := resume.check(self.name, words, self.parser(), self._also):
            self.read(arguments)

    def ask(self, child: Child) -> resume.Asked:
        return resume.read(self.name, sys.argv[1:], self.parser(), child, self._also)

    def run(self, program: Callable[[Child], int]) -> int:
        return run_to_the_end(program, self.interrupted)

    @property
    def _also(self) -> tuple[str, ...]:
        return ("verbose", *(("format",) if self.json else ()), *(("page",) if self.page else ()))
