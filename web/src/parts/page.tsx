import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

let arrivedByLink = false;
addEventListener("pushState", () => {
  arrivedByLink = true;
});
addEventListener("popstate", () => {
  arrivedByLink = false;
});

interface PageProps {
  /** The heading, and the name in the browser's tab. */
  readonly title: string;
  /** Stands above the heading: where the page belongs. */
  readonly above?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page: its heading takes the focus after a link was followed, so that reading goes on there. */
export function Page({ title, above, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · byogpu`;
  }, [title]);
  useEffect(() => {
    if (!arrivedByLink) return;
    arrivedByLink = false;
    if (location.hash === "") scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      {above !== undefined && <div class="above">{above}</div>}
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  );
}

/** Goes to the part of the page that the address names, once that part is there. */
export function useHash(): void {
  useEffect(() => {
    if (location.hash !== "") document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
}

/** A part of a page that an address can name. */
export function Section({
  id,
  title,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  );
}
