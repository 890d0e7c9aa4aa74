"""GitHub: the client behind a Protocol, and the escaping of workflow commands."""
