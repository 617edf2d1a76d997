"""Which device a run uses, and whether a better one stands idle."""

from __future__ import annotations

import os
import shutil

__all__ = ["describe_device"]


def describe_device() -> list[str]:
    """Lines for a person: the device in use, and a warning when an accelerator is left unused."""
    import jax

    devices = jax.devices()
    if jax.default_backend() != "cpu":
        kinds = ", ".join(sorted({device.device_kind for device in devices}))
        return [f"device: {len(devices)} × {kinds}"]
    lines = [f"device: CPU, {os.cpu_count()} cores"]
    if shutil.which("nvidia-smi"):
        lines.append(
            "warning: there seems to be an NVIDIA GPU, but JAX runs on the CPU; "
            "install the cuda extra: pip install -e '.[cuda]'"
        )
    return lines
