"""Building the project under test: find the build, run it, understand what the tools said."""
