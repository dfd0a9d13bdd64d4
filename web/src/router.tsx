import type { ComponentChildren, HTMLAttributes, TargetedMouseEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import { BASE } from './base.js';
import { createStore, useStore } from './store.js';

export interface Place {
  path: string;
  params: URLSearchParams;
}

const place = createStore<Place>(here());

function here(): Place {
  const path = location.pathname.slice(BASE.length) || '/';
  return { path, params: new URLSearchParams(location.search) };
}

addEventListener('popstate', () => place.set(here()));

/** Where the reader is; changes with {@link navigate} and with the browser's back and forward. */
export function usePlace(): Place {
  return useStore(place);
}

/** Where the reader is at this moment, which may be newer than what is drawn. */
export function placeNow(): Place {
  return here();
}

/** Goes to a page of this site without loading it anew. `replace` leaves no step to go back to. */
export function navigate(to: string, options: { replace?: boolean } = {}): void {
  const address = `${BASE}${to}`;
  const changesPage = new URL(address, location.href).pathname !== location.pathname;
  if (options.replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  place.set(here());
  if (changesPage && !to.includes('#')) scrollTo(0, 0);
}

/** `matchPath('/document/:id', '/document/a%2Fb')` gives `{ id: 'a/b' }`; `undefined` where the path is another one. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const expected = pattern.split('/');
  const got = path.split('/');
  if (expected.length !== got.length) return undefined;
  const found: Record<string, string> = {};
  for (const [nth, part] of expected.entries()) {
    if (part.startsWith(':')) found[part.slice(1)] = decodePart(got[nth]);
    else if (part !== got[nth]) return undefined;
  }
  return found;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `path?params`, without empty values. */
export function pathWith(path: string, params: Record<string, string | undefined>): string {
  const filled = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams(filled).toString();
  return search ? `${path}?${search}` : path;
}

export interface LinkProps extends Omit<HTMLAttributes<HTMLAnchorElement>, 'href' | 'role' | 'children'> {
  href: string;
  children?: ComponentChildren;
}

/** A link within the pages of this collection; new tabs, copying and middle clicks work as with any other. */
export function Link({ href, onClick, ...rest }: LinkProps) {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!plain || event.defaultPrevented) return;
    event.preventDefault();
    navigate(href);
  };
  return <a href={`${BASE}${href}`} onClick={follow} {...rest} />;
}

/** Names the page in the tab and in the history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · nearmiss` : 'nearmiss';
  }, [title]);
}
