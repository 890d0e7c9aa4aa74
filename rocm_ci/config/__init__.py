"""The configuration: `options` declares it with its defaults, `load` reads it, `schema` publishes it."""
