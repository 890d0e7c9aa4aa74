"""Report → text: JSON, Markdown, SARIF, JUnit XML. Pure."""
