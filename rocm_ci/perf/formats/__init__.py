"""One module per result format, each ending in `FORMAT: Format = …`; found by the directory listing."""
