"""Tables for people: columns of text, aligned."""


def aligned(lines, left=1):
    """Lines of cells, all of one length, as text: the first `left` columns begin, the others end below each other."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    for cells in lines:
        shown = [f"{cell:<{width}}" if number < left else f"{cell:>{width}}"
                 for number, (cell, width) in enumerate(zip(cells, widths))]
        yield "  ".join(shown).rstrip()
