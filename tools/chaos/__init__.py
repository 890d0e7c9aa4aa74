"""200 misbehaving tests on four pretended GPUs: does the runner say of each what it is?

Everything but the GPUs is real: processes, signals, crashes, hangs, daemons, full disks. A GPU is a
folder of the driver's files; its faults are what the kernel would have written about them.
"""
