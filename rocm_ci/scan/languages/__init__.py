"""One module per language, each ending in `LANGUAGE: Language = …`; found by the directory listing."""
