"""Whether a machine can do what is asked: each check says what was seen, what is needed, how to fix it."""
