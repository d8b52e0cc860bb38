"""The HTTP service and its page: one more face of the same application core."""
