"""Makes the tables of recovery: how many chunks are read and sent to repair a lost chunk, and the measured speed of the repair."""

from collections.abc import Sequence

from ecbench.comparison.comparison import Comparison
from ecbench.comparison.text import NONE, ratio_text
from ecbench.point.wording import number_text
from ecbench.recovery import codes
from ecbench.recovery.codes import Code
from ecbench.recovery.counted import Counter
from ecbench.recovery.request import Request

Lines = list[list[str]]  # rows of cells


class Tables:
    """`figures`: the measured speeds, by the name of the code."""

    def __init__(self, request: Request, counter: Counter, figures: Comparison | None):
        self._request = request
        self._counter = counter
        self._figures = figures
        self.compared = 0  # number of figures that are also in the article
        self.unlike: list[str] = []  # the figures that differ from the article

    def clay(self) -> Lines:
        lines = [["k", "m", "RS drive", "RS network", "CLAY drive", "CLAY network", "CLAY blocks", "reads/helper",
                  *self._speed_titles("CLAY")]]
        article = {(k, m): factors for k, m, *factors in codes.CLAY} if self._request.is_article else {}
        for k, m in self._request.shapes:
            rs, clay = codes.reed_solomon(k, m, self._request.backend), codes.clay(k, m, self._request.backend)
            counted = self._counter.losses(clay)
            lines.append([str(k), str(m), *self._factors(rs, "g", (k, k) if article else ()),
                          *self._factors(clay, ".3f", article.get((k, m), ())),
                          *([f"{counted.block_factor:.3f}", f"{counted.reads_per_helper:.1f}"] if counted else [NONE, NONE]),
                          *self._speeds(clay, k, m)])
        return lines

    def shec(self) -> Lines:
        article = {(k, m, l): overhead for k, m, l, overhead in codes.SHEC} if self._request.is_article else {}
        shapes = [(shape, shape.code(self._request.backend)) for shape in self._request.shec]
        shapes = [(shape, code) for shape, code in shapes if article or self._counter.losses(code)]
        most = max((shape.m + 1 for shape, _ in shapes), default=0)
        lines = [["k", "m", "l", "c=ml/k", "space", "overhead 1x/2x", *(["article"] if article else []),
                  *(f"{lost} lost" for lost in range(1, most + 1)), *self._speed_titles("SHEC")]]
        for shape, code in shapes:
            k, m = shape.k, shape.m
            printed = [article[k, m, shape.l]] if article and shape.l else []
            lines.append([*shape.cells(), f"{int(100 * k / (k + m) + 0.5)} %", self._overhead(code, k, printed), *printed,
                          *(self._share(code, lost) if lost <= m + 1 else "" for lost in range(1, most + 1)),
                          *self._speeds(code, k, m)])
        return lines

    def lrc(self, valid: Sequence[tuple[Code, int, int]]) -> Lines:
        """`valid`: the valid LRC codes, each with its k and m."""
        lines = [["code", "n", "space factor", "drive", "network", *self._speed_titles("LRC")]]
        for code, k, m in valid:
            if counted := self._counter.losses(code):
                n = counted.total  # there is one erasure pattern for each chunk
                lines.append([code.name, str(n), f"{n / k:.3f}", *self._factors(code, ".3f", ()), *self._speeds(code, k, m)])
        return lines

    def _factors(self, code: Code, style: str, article: Sequence[float]) -> list[str]:
        counted = self._counter.losses(code)
        if counted is None:
            return [NONE, NONE]
        shown = [format(counted.drive_factor, style), format(counted.network_factor, style)]
        for figure, printed in zip(shown, article):
            self._compare(code, figure, format(printed, style))
        return shown

    def _overhead(self, code: Code, k: int, article: Sequence[str]) -> str:
        counted = [losses for lost in (1, 2) if (losses := self._counter.losses(code, lost))]
        if len(counted) < 2:
            return NONE
        shares = [losses.chunks_read / k if losses.recoverable else None for losses in counted]
        for share, figure in zip(shares, article[0].split("/") if article else ()):
            if share is None:
                continue
            # At least one figure in the article is truncated, not rounded: 0.748 is printed as 0.74.
            agrees = figure in (f"{share:.2f}", f"{int(share * 100 + 1e-9) / 100:.2f}")
            self._compare(code, figure if agrees else f"{share:.3f}", figure)
        return "/".join(number_text(share, 3) for share in shares)

    def _share(self, code: Code, lost: int) -> str:
        counted = self._counter.losses(code, lost)
        if counted is None:
            return NONE
        return "all" if counted.recoverable == counted.total else f"{100 * counted.share:.1f} %"

    def _compare(self, code: Code, figure: str, printed: str) -> None:
        self.compared += 1
        if figure != printed:
            self.unlike.append(f"{code.name}: ecbench counted {figure}, but the article has {printed}")

    def _speed_titles(self, name: str) -> list[str]:
        return ["RS GB/s", f"{name} GB/s", f"{name}/RS"] if self._figures else []

    def _speeds(self, code: Code, k: int, m: int) -> list[str]:
        if not self._figures:
            return []
        rs = codes.reed_solomon(k, m, self._request.backend)
        found = [self._figures.candidates.get(each.name) for each in (rs, code)]
        return [*(f"{one.speed.median:.2f}{one.mark}" if one else NONE for one in found),
                ratio_text(self._figures.ratio(code.name, rs.name))]
