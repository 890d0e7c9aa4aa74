"""The scanner: bytes → prefilter → language → regions with guards → rules → findings."""
