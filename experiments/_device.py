"""Which device a run uses, and whether a better one stands idle."""

from __future__ import annotations

import os
import shutil

from spade_jax.learner.config import LearnerConfig

__all__ = ["describe_device"]


def describe_device(config: LearnerConfig, count: int | None) -> list[str]:
    """Lines for a person: the devices in use, and a warning when an accelerator is left unused.

    ``config``, ``count``: as for ``spade_jax.learner.devices.choose``, whose errors are raised.
    """
    import jax

    from spade_jax.learner.devices import choose, obstacle

    devices = jax.devices()
    used = choose(config, count).count
    idle = f"warning: {used} of {len(devices)} devices are used: {obstacle(config, len(devices))}"
    warnings = [idle] if count is None and used < len(devices) else []
    if jax.default_backend() != "cpu":
        kinds = ", ".join(sorted({device.device_kind for device in devices}))
        return [f"device: {used} × {kinds}", *warnings]
    lines = [f"device: CPU, {os.cpu_count()} cores{f', {used} devices' if used > 1 else ''}"]
    lines += warnings
    if shutil.which("nvidia-smi"):
        lines.append(
            "warning: there seems to be an NVIDIA GPU, but JAX runs on the CPU; "
            "install the cuda extra: pip install -e '.[cuda]'"
        )
    return lines
