"""`python -m rocm_ci`, the same as the `rocm-ci` command."""

from rocm_ci.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
