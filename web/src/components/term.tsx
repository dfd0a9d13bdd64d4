import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { termOf } from '../glossary/terms.js';
import { Link } from '../router.js';

export interface TermProps {
  /** Of the glossary; one that it does not have is shown as it is. */
  id: string | undefined;
  /** Default: the term's name. */
  children?: ComponentChildren;
}

/** A word with its explanation: for a pointer that rests on it, for the keyboard's focus, and a link to the glossary for the rest. */
export function Term({ id, children }: TermProps) {
  const [shown, setShown] = useState(false);
  const tip = useId();
  const term = id === undefined ? undefined : termOf(id);
  if (term === undefined) return <>{children}</>;
  const show = () => setShown(true);
  const hide = () => setShown(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the link within takes the focus; this only sees it come and go
    <span
      class="term"
      onPointerEnter={show}
      onPointerLeave={hide}
      onFocusIn={show}
      onFocusOut={hide}
      onKeyDown={(event) => event.key === 'Escape' && hide()}
    >
      <Link href={`/glossary#${term.id}`} aria-describedby={shown ? tip : undefined}>
        {children ?? term.name}
      </Link>
      {shown && (
        <span class="term-tip" role="tooltip" id={tip}>
          {term.text}
        </span>
      )}
    </span>
  );
}
