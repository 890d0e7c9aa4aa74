"""Other programs: how they are started and ended, and what git and docker are asked."""
