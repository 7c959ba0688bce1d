"""The tables, each figure counted, with the measured speed of repair next to them."""

from ecbench.recovery import codes

NONE = "-"


def ratio_text(ratio):
    """0.82 (0.80..0.85)."""
    if ratio is None:
        return NONE
    return f"{ratio.median:.2f}" + ("" if ratio.low is None else f" ({ratio.low:.2f}..{ratio.high:.2f})")


class Tables:
    """`counter` is a counted.Counter; `figures` a figures.Figures by the codes' names, or None where nothing is measured."""

    def __init__(self, request, counter, figures):
        self._request = request
        self._counter = counter
        self._figures = figures
        self._backend = request.backend
        self.compared = 0  # figures that the article has too
        self.unlike = []  # those that differ from it, as text

    def clay(self):
        """Lines of cells."""
        titles = ["k", "m", "RS drive", "RS network", "CLAY drive", "CLAY network", "reads/helper"]
        lines = [[*titles, *self._speed_titles("CLAY")]]
        printed = {(k, m): factors for k, m, *factors in codes.CLAY} if self._request.is_article else {}
        for k, m in self._request.shapes:
            rs, clay = codes.reed_solomon(k, m, self._backend), codes.clay(k, m, self._backend)
            of_rs = (k, k) if printed else None
            cells = [str(k), str(m), *self._factors(rs, "g", of_rs), *self._factors(clay, ".3f", printed.get((k, m)))]
            counted = self._counter.losses(clay)
            cells.append(f"{counted.reads_per_helper:.1f}" if counted else NONE)
            lines.append(cells + self._speeds(clay, rs))
        return lines

    def shec(self):
        printed = {(k, m, l): overhead for k, m, l, overhead in codes.SHEC} if self._request.is_article else {}
        found = [shape for shape in self._request.shec if printed or self._counter.losses(shape.code(self._backend)) is not None]
        most = max((shape.m + 1 for shape in found), default=0)
        titles = ["k", "m", "l", "c=ml/k", "space", "overhead 1x/2x", *(["article"] if printed else []),
                  *(f"{lost} lost" for lost in range(1, most + 1))]
        lines = [[*titles, *self._speed_titles("SHEC")]]
        for shape in found:
            code, k, m = shape.code(self._backend), shape.k, shape.m
            overhead = printed.get((k, m, shape.l))
            cells = [*shape.cells(), f"{int(100 * k / (k + m) + 0.5)} %", self._overhead(code, k, overhead)]
            cells += [overhead] if printed else []
            cells += [self._share(code, lost) if lost <= m + 1 else "" for lost in range(1, most + 1)]
            lines.append(cells + self._speeds(code, codes.reed_solomon(k, m, self._backend)))
        return lines

    def lrc(self, sound):
        """`sound` has the codes that exist, each with its k, m and n."""
        titles = ["code", "n", "space factor", "drive", "network"]
        lines = [[*titles, *self._speed_titles("LRC")]]
        for code, k, m, n in sound:
            counted = self._counter.losses(code)
            factors = [f"{counted.drive_factor:.3f}", f"{counted.network_factor:.3f}"]
            lines.append([code.name, str(n), f"{n / k:.3f}", *factors,
                          *self._speeds(code, codes.reed_solomon(k, m, self._backend))])
        return lines

    def _factors(self, code, style, printed):
        counted = self._counter.losses(code)
        if counted is None:
            return [NONE, NONE]
        shown = [format(counted.drive_factor, style), format(counted.network_factor, style)]
        for figure, article in zip(shown, printed or ()):
            self._compare(code, figure, format(article, style))
        return shown

    def _overhead(self, code, k, printed):
        one, two = self._counter.losses(code, 1), self._counter.losses(code, 2)
        if one is None or two is None:
            return NONE
        shares = [losses.chunks_read / k for losses in (one, two)]
        for share, figure in zip(shares, printed.split("/") if printed else ()):
            # The article cut 0.748 to 0.74.
            agrees = figure in (f"{share:.2f}", f"{int(share * 100 + 1e-9) / 100:.2f}")
            self._compare(code, figure if agrees else f"{share:.3f}", figure)
        return "/".join(f"{share:.3f}" for share in shares)

    def _share(self, code, lost):
        counted = self._counter.losses(code, lost)
        if counted is None:
            return NONE
        return "all" if counted.recoverable == counted.total else f"{100 * counted.share:.1f} %"

    def _compare(self, code, figure, printed):
        self.compared += 1
        if figure != printed:
            self.unlike.append(f"{code.name}: {figure}, where the article has {printed}")

    def _speed_titles(self, name):
        return ["RS GB/s", f"{name} GB/s", f"{name}/RS"] if self._figures else []

    def _speeds(self, code, rs):
        if not self._figures:
            return []
        return [*(self._speed(each.name) for each in (rs, code)), ratio_text(self._figures.ratio(code.name, rs.name))]

    def _speed(self, name):
        rate = self._figures.middle(name)
        return NONE if rate is None else f"{rate:.2f}{self._figures.mark(name)}"
