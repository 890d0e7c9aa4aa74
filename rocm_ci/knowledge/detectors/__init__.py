"""One module for each error that is told by numbers rather than words."""
