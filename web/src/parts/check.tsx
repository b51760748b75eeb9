import type { CheckState } from "../api/records";
import { counted } from "../format/numbers";
import { CONCLUSIONS, POSTS } from "../format/words";
import { Facts } from "./facts";
import { Empty, Note } from "./note";
import { Stale, State } from "./state";
import { Outside, Sha, Time } from "./text";

interface CheckProps {
  readonly check: CheckState | null;
  readonly headSha: string;
}

/** The check as it stands on GitHub, or on its way there. */
export function Check({ check, headSha }: CheckProps) {
  if (check === null) return <Empty>Nothing was posted: there was nothing to say.</Empty>;
  return (
    <>
      {check.state === "dead" && (
        <Note tone="bad">
          GitHub did not take the check after {counted(check.attempts, "attempt")}: {check.detail}
        </Note>
      )}
      <Facts
        facts={[
          { term: "conclusion", value: <State word={CONCLUSIONS[check.conclusion]} /> },
          { term: "title", value: check.title },
          {
            term: "commit",
            value: (
              <>
                <Sha value={check.head_sha} /> {check.head_sha !== headSha && <Stale />}
              </>
            ),
          },
          {
            term: "state",
            value: (
              <>
                {POSTS[check.state]}
                {check.sent_at !== null && (
                  <>
                    , <Time iso={check.sent_at} />
                  </>
                )}
                {check.state === "pending" && check.attempts > 0 && (
                  <>
                    , after {counted(check.attempts, "failed attempt")}: {check.detail}
                  </>
                )}
              </>
            ),
          },
          {
            term: "on GitHub",
            value: check.url === null ? "not there yet" : <Outside href={check.url}>{check.url}</Outside>,
          },
        ]}
      />
    </>
  );
}

/** The check in a few words. */
export function CheckLine({ check, headSha }: CheckProps) {
  if (check === null) return <span class="quiet">no check</span>;
  const word = (
    <State
      word={{ ...CONCLUSIONS[check.conclusion], text: `check: ${CONCLUSIONS[check.conclusion].text}` }}
    />
  );
  return (
    <>
      {check.url === null ? word : <Outside href={check.url}>{word}</Outside>}
      {check.state !== "sent" && <span class="quiet">{POSTS[check.state]}</span>}
      {check.head_sha !== headSha && <Stale />}
    </>
  );
}
