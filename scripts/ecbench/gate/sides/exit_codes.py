"""The exit codes of bench.sh gate. After a signal, the exit code is 128 + the number of the signal."""

NO_REGRESSION = 0
ERROR = 1  # bad input, or a failure
WRONG_BYTES = 2  # a code did not return the object, or OLD and NEW encode to different chunks
REGRESSION = 3
INCONCLUSIVE = 4  # inconclusive or no baseline; only with --require-conclusive or --require-baseline
