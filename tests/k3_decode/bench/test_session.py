import json
import os
import subprocess
import sys

import pytest
import torch

from k3_decode.bench.session import Session
from k3_decode.config import CONFIGS
from k3_decode.engine.identity import describe, synthetic_weights
from k3_decode.reference.model import K3Model

BLOCK = {"op": "block", "batch": 2, "context": 8, "steps": 3, "warmup": 1, "seed": 1}


@pytest.fixture(scope="module")
def session() -> Session:
    model = K3Model.synthetic(CONFIGS["k3-tiny"], 0, torch.float32, dequantize_experts=True)
    weights = synthetic_weights(model.config, seed=0)
    return Session(model, "stock", describe(model, weights=weights, dequantized_experts=True, mode="stock"))


def ask(session: Session, *requests) -> list[dict]:
    lines = [each if isinstance(each, str) else json.dumps(each) for each in requests]
    return [json.loads(json.dumps(answer)) for answer in session.run(lines)]


def test_each_request_gets_one_answer_in_order(session):
    identity, block, again, farewell = ask(session, {"op": "identity"}, BLOCK, BLOCK, {"op": "quit"})
    assert identity["model"]["name"] == "k3-tiny"
    assert len(block["rows"]) == 3
    assert block["tokens_sha256"] == again["tokens_sha256"]
    assert farewell == {"quit": True}


def test_nothing_is_answered_after_quit(session):
    assert ask(session, {"op": "quit"}, BLOCK) == [{"quit": True}]


def test_the_end_of_the_input_is_a_farewell(session):
    assert ask(session) == [{"quit": True}]


@pytest.mark.parametrize(
    ("request_line", "said"),
    [
        ("", "Invalid JSON"),
        ("[]", "object"),
        ({"op": "explode"}, "op"),
        ({"op": "block"}, "batch"),
        (BLOCK | {"batch": 0}, "batch"),
        (BLOCK | {"batch": "2"}, "batch"),
        (BLOCK | {"steps": 0}, "steps"),
        (BLOCK | {"context": 0}, "context"),
        (BLOCK | {"warmup": -1}, "warmup"),
        (BLOCK | {"extra": 1}, "extra"),
        (BLOCK | {"context": 2_000_000}, "positions"),
    ],
)
def test_a_bad_request_is_named_and_the_session_goes_on(session, request_line, said):
    answer, farewell = ask(session, request_line, {"op": "quit"})
    assert answer["error"]["code"] == "malformed_request"
    assert said in answer["error"]["detail"]
    assert farewell == {"quit": True}


def test_a_block_that_cannot_run_is_reported_and_the_session_goes_on():
    class Full:
        config = CONFIGS["k3-tiny"]
        device = torch.device("cpu")

        def new_cache(self, **sizes):
            raise torch.OutOfMemoryError("no memory left")

    failed, farewell = ask(Session(Full(), "stock", {}), BLOCK, {"op": "quit"})
    assert failed == {"error": {"code": "block_failed", "detail": "no memory left"}}
    assert farewell == {"quit": True}


def test_the_command_speaks_only_the_protocol_on_standard_output():
    lines = "\n".join(map(json.dumps, [{"op": "identity"}, BLOCK, {"op": "quit"}])) + "\n"
    ended = subprocess.run(
        [sys.executable, "-m", "k3_decode.bench", "session", "--device", "cpu", "--decode", "specialized"],
        input=lines,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    identity, block, farewell = map(json.loads, ended.stdout.splitlines())
    assert identity["decode"]["mode"] == "specialized"
    assert identity["dtype"] == "float32"
    assert len(block["rows"]) == 3
    assert farewell == {"quit": True}
