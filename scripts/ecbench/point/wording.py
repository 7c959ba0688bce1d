"""How the page says sizes, figures and points: the field's words, the same in charts, tables and the Markdown summary."""

# What a point has unless it says otherwise; the page is silent about these.
USUAL = {"stripe_unit": None, "cache": "warm", "threads": 1, "timing": "kernel", "dispatch": "native", "codec_lib": None}


def size_text(size):
    """1048576 as 1 MiB; a size that no unit divides stays in bytes."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


def figure_text(value):
    """Three digits that count at most: a figure that moves by 2 % has no more."""
    if value is None:
        return "-"
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3}f}"


def workload_text(workload, erasures):
    if workload == "encode" or not erasures:
        return workload
    return f"{workload}, {erasures} lost"


def option_text(name, value):
    if name == "cache":
        return value
    if name == "threads":
        return f"{value} {'thread' if value == 1 else 'threads'}"
    if name == "timing":
        return f"{value} timing"
    if name == "stripe_unit":
        return "one stripe" if value is None else f"stripe unit {size_text(value)}"
    return f"{name.replace('_', ' ')} {value}"
