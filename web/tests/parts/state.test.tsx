import { expect, test } from "vitest";
import type { Outcome } from "../../src/api/records";
import { OUTCOMES, pullState } from "../../src/format/words";
import { OutcomeCounts, OutcomeState } from "../../src/parts/state";
import { Download, Outside, Prose, Sha } from "../../src/parts/text";
import { pull } from "../records";
import { found, rendered, words } from "../rendered";

const SCRIPT = "javascript:alert(1)";
const outcomes = Object.keys(OUTCOMES) as Outcome[];

test("every outcome has its own word, its own shape and its own colour", () => {
  const boxes = outcomes.map(outcome => rendered(<OutcomeState outcome={outcome} />));
  expect(new Set(boxes.map(words)).size).toBe(outcomes.length);
  expect(new Set(boxes.map(box => found(box, "path").getAttribute("d"))).size).toBe(outcomes.length);
  expect(new Set(boxes.map(box => found(box, "svg").getAttribute("class"))).size).toBe(outcomes.length);
  expect(new Set(boxes.map(box => found(box, ".state").className)).size).toBe(outcomes.length);
});

test("counts name the outcomes that occur", () => {
  const box = rendered(<OutcomeCounts counts={[{ outcome: "no_evidence", count: 2 }]} />);
  expect(words(box)).toBe("2 no evidence");
  expect(words(rendered(<OutcomeCounts counts={[]} />))).toBe("no verdicts");
});

test("a pull request is merged before it is closed, and a draft only while open", () => {
  expect(pullState(pull({ merged: true, state: "closed" })).text).toBe("merged");
  expect(pullState(pull({ state: "closed", draft: true })).text).toBe("closed");
  expect(pullState(pull({ draft: true })).text).toBe("draft");
  expect(pullState(pull()).text).toBe("open");
});

test("only addresses of the web are links", () => {
  const good = found<HTMLAnchorElement>(rendered(<Outside href="https://github.example/x">x</Outside>), "a");
  expect([good.href, good.rel]).toEqual(["https://github.example/x", "noreferrer noopener"]);
  const bad = rendered(<Outside href={SCRIPT}>x</Outside>);
  expect([bad.querySelector("a"), words(bad)]).toEqual([null, "x"]);
  const file = rendered(<Download href="data:text/html,x">save</Download>);
  expect([file.querySelector("a"), words(file)]).toEqual([null, "save"]);
});

test("digests are short, with the whole as their title", () => {
  const code = found(rendered(<Sha value={"ab".repeat(20)} />), "code");
  expect([words(code), code.title]).toEqual(["ababababab", "ab".repeat(20)]);
  expect(words(rendered(<Sha value={null} />))).toBe("–");
  expect(words(rendered(<Sha value="unknown" />))).toBe("unknown");
});

test("code between backticks is set as code, and markup stays text", () => {
  const box = rendered(<Prose text="Run `byogpu <b>check</b>` again." />);
  expect(words(found(box, "code"))).toBe("byogpu <b>check</b>");
  expect(box.querySelector("b")).toBeNull();
});
