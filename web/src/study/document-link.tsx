import { Link, type LinkProps } from '../router.js';
import { runsOfCollection } from '../server-info.js';
import { useStore } from '../store.js';

export interface DocumentLinkProps extends Omit<LinkProps, 'href'> {
  id: string;
  /** Whose document it is. */
  run: string;
}

/** Leads to a document of a run where that run's collection is the served one; elsewhere it is but a name. */
export function DocumentLink({ id, run, ...rest }: DocumentLinkProps) {
  if (useStore(runsOfCollection).includes(run))
    return <Link href={`/document/${encodeURIComponent(id)}`} {...rest} />;
  const { children, onFocus, onBlur, onPointerEnter, class: className } = rest;
  return (
    <span class={className} {...{ onFocus, onBlur, onPointerEnter }}>
      {children}
    </span>
  );
}
