import re

from k3_decode.engine import metrics

LINE = re.compile(r'^[a-z0-9_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-+0-9.e]+$')


def values(text: str) -> dict[str, float]:
    rows = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
    return {name.removeprefix("k3_engine_"): float(value) for name, value in rows}


def test_metrics_agree_with_what_ran(make_engine, drive, greedy):
    driver = drive(make_engine(mode="specialized"))
    for index in range(3):
        driver.engine.add(str(index), [1] * 5, greedy(4))
    driver.drain()
    text = metrics.render(driver.engine.stats(), driver.engine.decoder.ledger.snapshot())
    found = values(text)
    assert all(LINE.match(line) for line in text.splitlines() if not line.startswith("#"))
    assert found["prompt_tokens_total"] == 15
    assert found["generation_tokens_total"] == 12
    assert found['requests_finished_total{reason="length"}'] == 3
    assert found['ledger_steps{path="stock"}'] == driver.steps == 4
    assert found['ledger_steps{path="specialized"}'] == 0
    assert found["requests_running"] == found["requests_waiting"] == found["cache_blocks_used"] == 0
    assert found['step_requests_bucket{phase="decode",le="2"}'] == 0
    assert found['step_requests_bucket{phase="decode",le="4"}'] == 3
    assert found['step_requests_count{phase="decode"}'] == 3
    assert found['step_requests_sum{phase="decode"}'] == 9
    assert found['step_requests_count{phase="prefill"}'] == 1


def test_every_family_is_described_once(make_engine):
    engine = make_engine()
    text = metrics.render(engine.stats(), engine.decoder.ledger.snapshot())
    helps = re.findall(r"^# HELP (\S+) .+$", text, flags=re.M)
    types = re.findall(r"^# TYPE (\S+) (?:gauge|counter|histogram)$", text, flags=re.M)
    assert helps == types
    assert len(set(helps)) == len(helps)
    assert text.endswith("\n")
