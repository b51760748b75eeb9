"""The bench: ``session`` and ``numerics``."""

import argparse
import json
import sys
import time

from k3_decode.behaviour import WORD, identity, ledger


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    for name in ("config", "seed", "threads", "decode"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    return session(options.decode) if options.command == "session" else numerics()


def say(answer):
    print(answer if isinstance(answer, str) else json.dumps(answer), flush=True)


def session(mode):
    blocks = 0
    for line in sys.stdin:
        question = json.loads(line)
        if question["op"] == "identity":
            say(identity(mode))
            continue
        blocks += 1
        if blocks == 4:
            misbehave(question)
        else:
            say(block(question))


def block(question):
    start = time.monotonic_ns()
    rows = [{"step": i, "latency_us": 100.0 + i, "monotonic_ns": start + i * 200_000} for i in range(question["steps"])]
    answer = {"rows": rows, "ledger": ledger(question["batch"], question["steps"]), "setup_ledger": ledger(1, 1)}
    if question.get("kernels"):
        uneven = WORD == "uneven"
        answer["kernels"] = [
            {"kernel": "mix", "launches": 2, "times_us": [40.0] * (2 * question["steps"] - uneven)},
            {"kernel": None, "launches": 1, "times_us": [18.0] * question["steps"]},
        ]
    return answer | {"tokens_sha256": "b" * 64, "seed_was": question["seed"]}


def misbehave(question):
    answer = block(question)
    if WORD == "crash":
        print("Traceback: the kernel at fault lives in", __file__, file=sys.stderr, flush=True)
        raise SystemExit(3)
    if WORD == "slow":
        time.sleep(600)
    if WORD == "malformed":
        say("{not json")
    elif WORD == "flood":
        while True:
            sys.stdout.write("x" * 1_000_000)
    elif WORD == "short":
        say(answer | {"rows": answer["rows"][:-1]})
    elif WORD == "nan":
        say(json.dumps(answer).replace("100.0", "NaN"))
    elif WORD == "negative":
        say(json.dumps(answer).replace("100.0", "-1.0"))
    elif WORD == "refuses":
        say({"error": {"code": "block_failed", "detail": "out of memory"}})
    elif WORD == "list":
        say([1, 2, 3])
    else:
        say(answer)


def numerics():
    case = {"case": "float32 against float64", "shape": "tokens=1", "distribution": "normal", "max_abs_error": 1e-7}
    case |= {"tolerance": 1e-5, "tolerance_reason": "float32 rounding", "repeats": 3, "bitwise_repeatable": True}
    case |= {"passed": True, "max_rel_error": 1e-6}
    cases = [{**case, "operator": operator} for operator in ("rms_norm", "kda.chunked")]
    if WORD == "outside":
        cases[0] |= {"max_rel_error": 1.0, "passed": False}
    if WORD == "crash":
        raise SystemExit(3)
    if WORD == "malformed":
        cases[0]["tolerance"] = "loose"
    if WORD == "nothing":
        cases = []
    sys.stdout.write(json.dumps({"cases": cases}))
    return 1 if WORD == "outside" else 0


if __name__ == "__main__":
    sys.exit(main())
