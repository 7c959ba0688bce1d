"""What the exit codes of bench.sh gate say; 128 and the number of a signal that ends it are the others."""

NO_REGRESSION = 0
ERROR = 1  # bad input, or something that does not work
WRONG_BYTES = 2  # a code gave back something else than the object, or OLD and NEW give different chunks: whatever the speed
REGRESSION = 3
INCONCLUSIVE = 4  # or no baseline; only where it was required
