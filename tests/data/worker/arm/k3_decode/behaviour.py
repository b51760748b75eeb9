"""How this arm misbehaves: one word in the file ``behaviour`` beside this module, ``well`` without it."""

from pathlib import Path

_FILE = Path(__file__).with_name("behaviour")
WORD = _FILE.read_text().strip() if _FILE.exists() else "well"


def identity(mode):
    digest = "a" * 64
    return {
        "model": {"name": "k3-tiny", "hidden_size": 96, "situ_linear_beta": None},
        "weights": {"sha256": digest, "over": "config and seed", "format": "mxfp4"},
        "engine": {"max_running": 64},
        "dtype": "float32",
        "threads": 1,
        "decode": {"mode": mode, "standing_reasons": ["no CUDA device"]},
        "tokenizer_sha256": digest,
        "chat_template_sha256": "not a digest",
    }


def ledger(rows, steps):
    reasons = [{"reason": "no CUDA device", "steps": steps}]
    bucket = {"rows": rows, "tokens_per_request": 1, "phase": "decode", "speculation": 0}
    bucket |= {"specialized_steps": 0, "stock_steps": steps, "reasons": reasons}
    return {"buckets": [bucket] if steps else [], "kernel_digests": []}
