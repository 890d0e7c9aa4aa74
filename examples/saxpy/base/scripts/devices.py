"""Prints which GPUs the library sees."""

import ctypes
import sys


def main():
    library = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "build/libsaxpy.so")
    print(library.saxpy_devices(), "GPU(s)")


if __name__ == "__main__":
    main()
