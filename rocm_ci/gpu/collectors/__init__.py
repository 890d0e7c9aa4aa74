"""One module per source of facts, each ending in a typed `COLLECTOR`; found by `rocm_ci.registry`."""
