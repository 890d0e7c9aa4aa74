"""rocm-ci: the pull-request check for projects that run on AMD GPUs."""

__version__ = "0.1.0"
