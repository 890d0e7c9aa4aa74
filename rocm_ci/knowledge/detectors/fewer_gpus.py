"""The other way round: a job that sees fewer GPUs than it was given."""

from __future__ import annotations

from rocm_ci.knowledge.detector import Detector
from rocm_ci.knowledge.detectors.gpu_count import GpuCount

DETECTOR: Detector = GpuCount("fewer-gpus-than-given", more=False)
