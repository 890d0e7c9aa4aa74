"""One module per stage, each a function `(Context, Job) → StageResult`. Order lives in `pipeline`."""
