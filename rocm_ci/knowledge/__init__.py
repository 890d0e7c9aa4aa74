"""Match a log against the error library `rules/errors`."""
