import type { ComponentChildren, Ref } from "preact";

interface ScrollProps {
  readonly name: string;
  /** A class of its own. */
  readonly kind?: string;
  readonly box?: Ref<HTMLElement>;
  readonly onScroll?: (top: number) => void;
  readonly children: ComponentChildren;
}

/** What may be wider or higher than its place: it scrolls on its own, and by keyboard, for which it takes the focus. */
export function Scroll({ name, kind, box, onScroll, children }: ScrollProps) {
  return (
    <section
      {...(box === undefined ? {} : { ref: box })}
      class={kind === undefined ? "scroll" : `scroll ${kind}`}
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable (WCAG 2.1.1)
      tabIndex={0}
      onScroll={(event) => onScroll?.(event.currentTarget.scrollTop)}
    >
      {children}
    </section>
  );
}
