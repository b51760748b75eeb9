import hashlib

from worker.suites.prompts import prompt, prompt_digest


def test_a_prompt_has_exactly_the_length_asked_for_in_ascii() -> None:
    for characters in (1, 12, 13, 32, 500, 4_003):
        text = prompt("7", characters=characters)
        assert len(text.encode("ascii")) == characters


def test_prompts_differ_from_their_first_characters_on() -> None:
    assert len({prompt(f"{seed:016x}", characters=12) for seed in range(1_000)}) == 1_000


def test_a_seed_gives_the_same_prompt_in_every_version() -> None:
    """A change here needs a new plan format: older workers send the prompts written down here."""
    assert prompt("0000000000000007", characters=48) == "0c97437cafd9 scale point offset null graph event"
    assert prompt_digest("a b") == hashlib.sha256(b"a b").hexdigest()
