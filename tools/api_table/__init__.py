"""Makes `rules/tables/`: the CUDA names that the scan rules know, from what translators ship.

    python -m tools.api_table --hipify PATH --torch PATH [--cuda PATH] [--hip PATH]    write the tables
    python -m tools.api_table --check [--hipify PATH] [--torch PATH]                   compare

`--hipify` takes the sources of HIPIFY (a folder or the .tar.xz of the `hipify` source package) or, for a
check, the script of the package `hipify-perl`; `--torch` a torch wheel, an unpacked one or
`cuda_to_hip_mappings.py`; `--cuda` and `--hip` folders or wheels with headers. A check without any of
them holds the committed files against each other.

    sources ──► merge (+ additions.txt) ──► cuda-api.tsv ──► views: one list per rule, read by the scanner
"""
