"""Repairs that no pattern can say: one module each, ending in `FIXER`."""
