from worker.evals.prompts import prompt


def test_a_prompt_has_exactly_the_length_asked_for_in_ascii() -> None:
    for characters in (1, 12, 13, 32, 500):
        text = prompt(7, characters=characters)
        assert len(text.encode("ascii")) == characters


def test_prompts_differ_from_their_first_characters_on() -> None:
    assert len({prompt(seed, characters=12) for seed in range(1_000)}) == 1_000
    assert prompt(7, characters=64) == prompt(7, characters=64)
