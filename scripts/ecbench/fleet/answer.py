"""The first sentences of a fleet report: the fastest profile of each class, one profile for all classes, the slow hosts."""

from ecbench.comparison import tally
from ecbench.fleet.results import Results

NAMED = 3  # a sentence names at most this number of classes or hosts
MOST_LEADERS = 2  # if a larger number of profiles are tied, the sentence contains this number instead of the names
LEAST_SHOWN = 0.05  # percent; smaller losses of speed are not shown


def sentence(results: Results) -> str:
    """Names the fastest profile of the NAMED largest classes; with several cases, the technique; for libraries, the library."""
    found = {one.name: text for one in results.classes if (text := of_class(results, one.name))}
    if not found:
        return "No host has a figure."
    if len(found) > 1 and len(set(found.values())) == 1:
        return f"On all {len(found)} classes, {next(iter(found.values()))}."
    if len(results.classes) == 1:
        return f"On {next(iter(results.class_names.values()))}, {next(iter(found.values()))}."
    parts = [f"on class {name}, {text}" for name, text in found.items()]
    if (more := len(parts) - NAMED) > 0:
        parts[NAMED:] = [f"{more} more {'class is' if more == 1 else 'classes are'} listed below"]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def of_class(results: Results, name: str) -> str:
    """"" if the class has no case."""
    found = [one for case in results.cases for one in case.classes if one.host_class.name == name]
    if not found:
        return ""
    is_short = len(results.cases) > 1
    kind = "library" if found[0].fastest.library else "technique" if is_short else "profile"
    outcomes = [tally.outcome_of(one.ranking, lambda one: one.code if is_short else str(one), with_unclear=True) for one in found]
    scores = tally.scores(outcomes, dict.fromkeys(name for outcome in outcomes for name in outcome.first))
    if not scores:
        return f"it is inconclusive which {kind} is the fastest"
    leaders = [score for score in scores if (score.fastest, score.tied) == (scores[0].fastest, scores[0].tied)]
    counts = f" ({count_text(scores[0], len(found))})" if is_short else ""
    if len(leaders) == 1:
        return f"{leaders[0].name} is the fastest {kind}{counts}"
    kinds = "libraries" if kind == "library" else f"{kind}s"
    names = " and ".join(score.name for score in leaders) if len(leaders) <= MOST_LEADERS else f"{len(leaders)} {kinds}"
    return f"{names} are {f'each the fastest {kind}{counts}' if is_short else 'not significantly different'}"


def count_text(score: tally.Score, cases: int) -> str:
    tied = f", tie in {score.tied}" if score.tied else ""
    return f"in {score.fastest} of {cases} cases{tied}"


def verdict(results: Results) -> str:
    """One profile for all classes; slow, disturbed and missing hosts."""
    return " ".join(text for text in (for_all(results), hosts(results)) if text)


def for_all(results: Results) -> str:
    """The largest loss of speed if all classes use the same profile; "" if there is nothing to compare."""
    shared = [case.for_all for case in results.cases if len(case.classes) > 1 and case.for_all]
    if not shared:
        return ""
    worst = min(shared, key=lambda one: one.worst)
    loss = (1 - worst.worst) * 100
    cost = f"at most {loss:.1f} % slower than" if loss >= LEAST_SHOWN else "as fast as"
    if len(results.cases) == 1:
        return f"One profile for all classes: {worst.candidate}. In each class, it is {cost} the fastest profile."
    cases = "each case" if len(shared) == len(results.cases) else f"{len(shared)} of {len(results.cases)} cases"
    return f"In {cases}, one profile for all classes is {cost} the fastest profile of each class."


def hosts(results: Results) -> str:
    count = len(results.collection.measured)
    slow = [one for one in results.slow if one.is_slower]
    texts = []
    if slow:
        names = ", ".join(f"{one.host} ({(1 - one.ratio) * 100:.1f} %)" for one in slow[:NAMED])
        rest = f" and {len(slow) - NAMED} others" if len(slow) > NAMED else ""
        slower = "is slower than its" if len(slow) == 1 else "are slower than their"
        texts.append(f"{len(slow)} of {count} hosts {slower} class: {names}{rest}.")
    elif compared := sum(len(one.clean) for one in results.classes if len(one.clean) > 1):
        texts.append(f"None of {compared} hosts is slower than its class.")
    if unclean := len(results.unclean):
        texts.append(f"Other programs disturbed {unclean} {'host' if unclean == 1 else 'hosts'}.")
    if missing := len(results.missing):
        texts.append(f"{missing} {'host has' if missing == 1 else 'hosts have'} no complete result.")
    return " ".join(texts)
