from worker.suites.seeds import Seeds


def test_a_seed_depends_on_the_nonce_and_on_every_part_of_its_label() -> None:
    seeds = Seeds("nonce")
    assert seeds.integer("a", 1) == Seeds("nonce").integer("a", 1)
    others = [seeds.integer("a", 2), seeds.integer("a1"), seeds.integer("a", "1", 1), Seeds("other").integer("a", 1)]
    assert len({seeds.integer("a", 1), *others}) == 5


def test_seeds_fit_a_signed_integer() -> None:
    assert all(0 <= Seeds("nonce").integer(i) < 2**63 for i in range(100))


def test_drawn_nonces_differ() -> None:
    assert Seeds.draw() != Seeds.draw()
