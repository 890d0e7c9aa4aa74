"""What the leases and the watchdog do around a real GPU, on whatever card PyTorch can use here.

The card need not be AMD's: processes, locks and device memory behave alike to the programs around them.
What is AMD's own (KFD contexts, the kernel's messages, ROCR_VISIBLE_DEVICES) is not shown by it.
"""
