"""The exit codes of bench.sh gate. After a signal the code is 128 + its number."""

NO_REGRESSION = 0
ERROR = 1  # bad input, or a failure
WRONG_BYTES = 2  # a code did not return the object, or OLD and NEW encode to different chunks
REGRESSION = 3
INCONCLUSIVE = 4  # or no baseline; only if a conclusion or a baseline was required
