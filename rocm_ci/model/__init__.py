"""Every type that crosses a boundary: frozen, keyword-only, unknown fields refused.

Import from the module that owns the noun (`rocm_ci.model.case`, `rocm_ci.model.report`, …);
nothing here imports anything of ours outside this package.
"""
