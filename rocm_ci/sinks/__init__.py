"""One module per place where a report is shown; each ends in `SINK: Sink = …`."""
