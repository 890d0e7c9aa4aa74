"""Detectors: what no matcher of a rule file can say, one module each, exported as `detector`."""
