"""Measuring two sides on one machine and deciding whether they differ."""
