"""The command line: one module per command. Parses, wires, turns an error into message and exit code."""
