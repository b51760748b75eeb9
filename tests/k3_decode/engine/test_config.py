import pytest

from k3_decode.engine.config import EngineConfig
from k3_decode.errors import ArgumentError


def test_the_defaults_hold_together():
    assert EngineConfig().max_running == 64


@pytest.mark.parametrize(
    ("limits", "argument"),
    [
        ({"max_running": 0}, "max_running"),
        ({"block_size": -1}, "block_size"),
        ({"max_step_tokens": 32}, "max_step_tokens"),
        ({"num_blocks": 10}, "num_blocks"),
    ],
)
def test_limits_that_cannot_work_are_refused_by_name(limits, argument):
    with pytest.raises(ArgumentError) as refusal:
        EngineConfig(**limits)
    assert refusal.value.argument == argument
