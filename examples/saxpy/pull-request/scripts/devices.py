"""Prints which GPUs the library sees."""

import ctypes
import subprocess
import sys


def main():
    library = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "build/libsaxpy.so")
    print(library.saxpy_devices(), "GPU(s)")
    runtime = ctypes.CDLL("libcudart.so")
    print("runtime", runtime._name)
    print(subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout)


if __name__ == "__main__":
    main()
