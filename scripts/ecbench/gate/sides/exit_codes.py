"""The exit codes of bench.sh gate. After a signal, the exit code is 128 + the number of the signal."""

NO_REGRESSION = 0
ERROR = 1  # bad input, or another error
WRONG_BYTES = 2  # decoding did not return the object, or OLD and NEW encode the same object to different chunks
REGRESSION = 3
INCONCLUSIVE = 4  # only with --require-conclusive
