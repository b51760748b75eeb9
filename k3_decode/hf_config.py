"""Typed access to a published ``config.json``, and the refusal of variants that K3 does not have."""

from collections.abc import Mapping
from typing import Final, cast

from k3_decode.errors import ConfigError

QUANTIZATION_FORMAT: Final = "mxfp4-pack-quantized"
"""How every checkpoint that is read here stores its routed experts; another format is refused (`refuse_variants`)."""


class HfSection:
    """One object of the document; every getter raises :class:`ConfigError` naming the key that is wrong.

    Args:
        values: The object.
        path: Its key, dotted, for messages; empty at the top.
    """

    def __init__(self, values: Mapping[str, object], path: str = "") -> None:
        self._values = values
        self._path = path

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def get(self, key: str, default: object = None) -> object:
        """Give a value of any type, or ``default``."""
        return self._values.get(key, default)

    def section(self, key: str) -> "HfSection":
        """Give a nested object."""
        value = self._need(key)
        if not isinstance(value, Mapping):
            raise self._wrong(key, "an object", value)
        return HfSection(cast(Mapping[str, object], value), f"{self._path}{key}.")

    def integer(self, key: str) -> int:
        """Give an integer."""
        value = self._need(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(key, "an integer", value)
        return value

    def number(self, key: str) -> float:
        """Give a number."""
        value = self._need(key)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._wrong(key, "a number", value)
        return float(value)

    def optional_number(self, key: str) -> float | None:
        """Give a number, or None where the key is absent or null."""
        return None if self.get(key) is None else self.number(key)

    def integers(self, key: str) -> tuple[int, ...]:
        """Give a list of integers."""
        value = self._need(key)
        if not isinstance(value, list) or not all(isinstance(item, int) for item in value):
            raise self._wrong(key, "a list of integers", value)
        return tuple(value)

    def expect(self, key: str, value: object) -> None:
        """Refuse any other value than ``value``; an absent key is accepted."""
        if key in self and self.get(key) != value:
            raise self._wrong(key, repr(value), self.get(key))

    def _need(self, key: str) -> object:
        if key not in self:
            raise ConfigError(f"{self._path}{key}: missing from config.json")
        return self._values[key]

    def _wrong(self, key: str, expected: str, got: object) -> ConfigError:
        return ConfigError(f"{self._path}{key}: expected {expected}, got {got!r}")


FIXED: Final[Mapping[str, object]] = {
    "hidden_act": "situ",
    "latent_moe_use_norm": True,
    "mla_use_nope": True,
    "mla_use_output_gate": True,
    "moe_layer_freq": 1,
    "moe_renormalize": True,
    "moe_router_activation_func": "sigmoid",
    "num_expert_group": 1,
    "num_nextn_predict_layers": 0,
    "tie_word_embeddings": False,
    "topk_group": 1,
    "topk_method": "noaux_tc",
}
"""Keys of the text section whose published value is the only one the model's mathematics knows."""


def refuse_variants(text: HfSection) -> None:
    """Refuse a text section that asks for other mathematics or another storage format than K3's.

    Args:
        text: The text section. Absent keys mean K3's own choice.

    Raises:
        ConfigError: A key has another value; it is named.
    """
    for key, value in FIXED.items():
        text.expect(key, value)
    text.section("linear_attn_config").expect("use_full_rank_gate", True)
    if "quantization_config" in text:
        text.section("quantization_config").expect("format", QUANTIZATION_FORMAT)


def quantization_config(group_size: int) -> dict[str, object]:
    """Describe MXFP4 weights of routed experts the way compressed-tensors does.

    Args:
        group_size: Elements that share one scale.

    Returns:
        The ``quantization_config`` object.
    """
    weights = {"group_size": group_size, "num_bits": 4, "strategy": "group", "symmetric": True, "type": "float"}
    group = {"format": QUANTIZATION_FORMAT, "input_activations": None, "targets": ["Linear"], "weights": weights}
    kept = ("self_attn", "shared_experts", "mlp", "gate", "routed_expert", "lm_head", "vision_tower", "mm_projector")
    return {
        "quant_method": "compressed-tensors",
        "format": QUANTIZATION_FORMAT,
        "config_groups": {"group_0": group},
        "ignore": [f"re:.*{name}.*" for name in kept],
    }
