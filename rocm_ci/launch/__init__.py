"""The parts of `launcher.py`: what runs on the host before anything of ours is installed.

Standard library only and Python 3.8 syntax: it has to work with whatever `python3` a runner has.
Nothing here imports anything of ours outside this package.
"""
