"""One module per language, each ending in `language: Language = …`; found by the directory listing."""
