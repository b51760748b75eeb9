import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { NONE } from "../format/numbers";
import { short } from "../format/text";
import { utc } from "../format/times";
import { bundlePath, download, outside } from "../links";
import { Icon } from "./icon";

/** A commit or digest in short; the whole of it is its title. */
export function Sha({ value, length = 10 }: { readonly value: string | null; readonly length?: number }) {
  if (value === null) return <>{NONE}</>;
  if (value === "unknown") return <Unknown />;
  return (
    <code class="sha" title={value}>
      {short(value, length)}
    </code>
  );
}

/** A bundle by the first characters of its id. */
export function BundleLink({ id }: { readonly id: string }) {
  return (
    <Link href={bundlePath(id)} title={id}>
      <code>{short(id, 12)}</code>
    </Link>
  );
}

/** A sentence of ours, its `code` between backticks set as code. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text.split("`").map((part, index) => {
        const key = `${index} ${part}`;
        return index % 2 === 1 ? <code key={key}>{part}</code> : <span key={key}>{part}</span>;
      })}
    </>
  );
}

/** What the machine could not capture. */
export function Unknown() {
  return <span class="unknown">unknown</span>;
}

/** A time in UTC. */
export function Time({ iso }: { readonly iso: string }) {
  return <time dateTime={iso}>{utc(iso)}</time>;
}

/** A link to another site; plain text if the address is not one that may be followed. */
export function Outside({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  const address = outside(href);
  if (address === null) return <>{children}</>;
  return (
    <a href={address} rel="noreferrer noopener" class="outside">
      {children}
      <Icon sign="outside" />
    </a>
  );
}

/** A link that saves a file. */
export function Download({
  href,
  children,
}: {
  readonly href: string;
  readonly children: ComponentChildren;
}) {
  const address = download(href);
  if (address === null) return <>{children}</>;
  return (
    <a href={address} download class="download">
      <Icon sign="save" />
      {children}
    </a>
  );
}
