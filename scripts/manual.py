#!/usr/bin/env python3
"""manual.py PREFIX OUTPUT: writes the man pages and the bash completion of ecbench.

PREFIX is the directory below which ecbench is installed. OUTPUT is the directory for the new files: man1/ecbench.1,
man1/ecbench-MODE.1 and ecbench.bash. A man page contains the help text of ecbench or of a mode, and a page of docs/, which
cmark-gfm converts."""

import json
import os
import pathlib
import re
import subprocess
import sys

from ecbench.installation.places import SCRIPTS

DOCS = SCRIPTS.parent / "docs"
COMPLETION = SCRIPTS / "completion.bash.in"
AT = "\N{FULLWIDTH COMMERCIAL AT}"
# Mode ("": ecbench itself) → its page of docs/, if the page does not have the name of the mode
PAGES = {"": "results", "run": "experiments", "compare": "report"}
SUBCOMMANDS = {"gate": ("ir", "ab"), "conformance": ("create", "check", "hashes"),
               "profile": ("callgrind", "pprof", "perf"), "fleet": ("report",)}
LONGEST_CELL = 20  # characters; tbl may break the text of longer table cells into lines


class Manual:
    def __init__(self, prefix: pathlib.Path, output: pathlib.Path):
        self._program = prefix / "bin" / "ecbench"
        self._output = output
        self._version = self._ask("--version").split()[1]
        help_lines = re.findall(r"^  ecbench ([a-z]+)  +(.*)$", self._ask("help"), re.MULTILINE)
        self._modes = {mode: what for mode, what in help_lines if mode != "help"}
        self._documented = [mode for mode in self._modes if page_of(mode).exists()]
        self._commands: dict[str, list[str]] = json.loads(self._ask("version", "--format", "json"))["commands"]

    def write(self) -> None:
        (self._output / "man1").mkdir(parents=True, exist_ok=True)
        commands = "\n".join(self._ask(command, "--help") for command in self._commands)
        self._write_page("ecbench", "measure erasure codes for storage", "", {"MODES": self._ask("help"), "COMMANDS": commands})
        for mode in self._documented:
            self._write_page(f"ecbench-{mode}", self._modes[mode].partition(":")[0], mode, {"HELP": self._ask(mode, "--help")})
        self._write_completion()

    def _ask(self, *words: str) -> str:
        return subprocess.run([self._program, *words], capture_output=True, text=True, check=True,
                              env={**os.environ, "COLUMNS": "72"}).stdout  # .nf keeps lines, and man indents them

    def _write_page(self, name: str, summary: str, mode: str, texts: dict[str, str]) -> None:
        """`texts`: title → a text that is printed as it is."""
        others = ["ecbench", *(f"ecbench-{other}" for other in self._documented)]
        sections = {"NAME": f"{name} \\- {summary}", **{title: roff_lines(text) for title, text in texts.items()},
                    "MANUAL": manual_section(page_of(mode)),
                    "SEE ALSO": ",\n".join(f".BR {other} (1)" for other in others if other != name)}
        page = [f"'\\\" t\n.TH {name.upper()} 1 \"\" \"ecbench {self._version}\"",
                *(f".SH {title}\n{text}" for title, text in sections.items())]
        (self._output / "man1" / f"{name}.1").write_text("\n".join(page) + "\n", "utf-8")

    def _write_completion(self) -> None:
        plugins = {plugin["name"]: [technique["name"] for technique in plugin["techniques"] if technique["name"]]
                   for plugin in json.loads(self._ask("list", "--format", "json"))["plugins"]}
        options = {mode: self._options_of(mode) for mode in self._modes if mode not in ("bench", "fplot")}
        options |= {command: [f"--{option}" for option in names] for command, names in self._commands.items()}
        cases = "\n".join(f"    {first}) options='{' '.join(words)}' ;;" for first, words in options.items())
        filled = {"MODES": " ".join([*self._modes, "help"]), "COMMANDS": " ".join(self._commands),
                  "COMMAND": " | ".join(self._commands), "OPTIONS": " ".join(options["measure"]), "MODE_OPTIONS": cases,
                  "PLUGINS": " ".join(plugins),
                  "TECHNIQUES": " ".join(sorted({name for names in plugins.values() for name in names})),
                  "EXPERIMENTS": " ".join(sorted(path.stem for path in (SCRIPTS / "experiments").iterdir())),
                  "SUBCOMMANDS": "\n".join(f"    {mode}) words='{' '.join(words)}' ;;" for mode, words in SUBCOMMANDS.items())}
        text = re.sub(r"@([A-Z_]+)@", lambda found: filled[found[1]], COMPLETION.read_text("utf-8"))
        (self._output / "ecbench.bash").write_text(text, "utf-8")

    def _options_of(self, mode: str) -> list[str]:
        """The long options at the beginning of the lines of the help texts of a mode and of its subcommands, and --help."""
        texts = [self._ask(mode, "--help")]
        texts += [self._ask(mode, word, "--help") for word in SUBCOMMANDS.get(mode, ()) if mode != "profile"]
        lines = re.findall(r"^ +(?:-\w(?: [^ ,]+)?(?:, | \[ ))?(--[a-z][a-z-]*)", "\n".join(texts), re.MULTILINE)
        return list(dict.fromkeys([*lines, "--help"]))


def page_of(mode: str) -> pathlib.Path:
    return DOCS / f"{PAGES.get(mode, mode)}.md"


def roff_lines(text: str) -> str:
    """Returns roff code that prints the text without changes."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return ".nf\n" + "\n".join(f"\\&{line}" for line in escaped.splitlines()) + "\n.fi"


def manual_section(path: pathlib.Path) -> str:
    """Converts a page of docs/ to roff, without the title of the page. The commands ./bench.sh and build/ecbench become ecbench. A
    link to another page becomes the text of the link."""
    markdown = re.sub(r"\A# .*\n", "", path.read_text("utf-8"))
    markdown = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", markdown)
    markdown = re.sub(r"\[([^\]]*)\]\((?!http)[^)]*\)", r"\1", markdown)
    markdown = markdown.replace("./bench.sh", "ecbench").replace("build/ecbench", "ecbench")
    markdown = markdown.replace("@", AT)  # cmark-gfm writes @ between the cells of a table
    roff = subprocess.run(["cmark-gfm", "--extension", "table", "--to", "man"], input=markdown, capture_output=True, text=True,
                          check=True).stdout
    return re.sub(r"^\.TS\ntab\(@\);\n(c+)\.\n(.*?)\n\.TE$", table, roff, flags=re.MULTILINE | re.DOTALL).replace(AT, r"\(at")


def table(found: re.Match[str]) -> str:
    """Returns the table that cmark-gfm wrote. Long cells become text blocks, so that tbl can break them into lines."""
    lines = ["@".join(f"T{{\n{cell}\nT}}" if len(cell) > LONGEST_CELL else cell for cell in line.split("@"))
             for line in found[2].splitlines()]
    return "\n".join([".ad l", ".TS", "tab(@);", "l" * len(found[1]) + ".", *lines, ".TE", ".ad b"])


if __name__ == "__main__":
    prefix, output = sys.argv[1:]
    Manual(pathlib.Path(prefix).absolute(), pathlib.Path(output)).write()
