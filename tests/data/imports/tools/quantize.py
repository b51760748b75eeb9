"""Copy a checkpoint with its linear weights rounded to 5 bits in groups of 64: ``quantize.py SOURCE TARGET``."""

import shutil
import sys

from safetensors.torch import load_file, save_file

source, target = sys.argv[1:]
shutil.copytree(source, target, dirs_exist_ok=True)
weights = load_file(f"{source}/model.safetensors")
for name, tensor in weights.items():
    if ("mlp" in name or "attn" in name) and tensor.ndim == 2:
        groups = tensor.float().reshape(tensor.shape[0], -1, 64)
        step = groups.abs().amax(-1, keepdim=True).clamp_min(1e-8) / 15
        weights[name] = ((groups / step).round() * step).reshape(tensor.shape).to(tensor.dtype)
save_file(weights, f"{target}/model.safetensors", metadata={"format": "pt"})
