"""Prints the tables of bench.sh conformance. On a terminal, the columns are aligned. Otherwise, they are separated by tabs."""

import sys
from collections.abc import Sequence

from ecbench.conformance.agreement import Code, groups_that_agree
from ecbench.conformance.verification import Folder
from ecbench.point.wording import letters
from ecbench.terminal.console import plain


def print_folder(folder: Folder) -> None:
    chunks = f"{folder.same_chunks}/{folder.chunk_count}" if folder.chunk_count else "-"
    losses = " ".join(f"{lost}:{right}/{patterns}" for lost, (right, patterns) in folder.decoded.items()) or "-"
    print_line(folder.word, chunks, losses, f"{folder.path}{': ' if folder.why else ''}{folder.why}")


def print_line(word: str, chunks: str, losses: str, folder: str) -> None:
    folder = plain(folder)
    if sys.stdout.isatty():
        print(f"{word:<8} {chunks:<7} {losses:<40} {folder}", flush=True)
    else:
        print(word, chunks, losses, folder, sep="\t", flush=True)


def print_hashes(k: int, chunk_size: int, codes: Sequence[Code]) -> None:
    """For each code, prints a letter and the first 12 digits of the SHA-256 of each coding chunk. Chunks with the same letter have
    the same bytes."""
    print(f"k={k}, chunks of {chunk_size} bytes, which no code pads")
    different = list(dict.fromkeys(chunk for code in codes for chunk in code.coding))
    width = max(len(str(code)) for code in codes) if sys.stdout.isatty() else 0
    for code in codes:
        cells = [f"{letters(different.index(chunk))} {chunk[:12]}" for chunk in code.coding]
        print("\t".join([f"{code!s:<{width}}", *cells]))
    for group in groups_that_agree(codes):
        if len(group) > 1:
            print(f"the same bytes in all coding chunks: {'; '.join(map(str, group))}")
