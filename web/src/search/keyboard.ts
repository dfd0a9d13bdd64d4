import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Keys that belong to what is being typed. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

/** Arrow keys within the element go through the hits; from the search box down into them. */
export function useHitKeys(within: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = within.current;
    const move = (event: KeyboardEvent) => {
      const free = !isTyping(event.target) || event.target === searchBox();
      if (free && moveAmongHits(element!, event.key)) event.preventDefault();
    };
    element?.addEventListener('keydown', move);
    return () => element?.removeEventListener('keydown', move);
  }, [within]);
}

/**
 * Moves the focus among the hits within `results`: up and down a column, left and right to the same document (else the
 * same rank) in the next. `false` where the key does nothing here.
 */
function moveAmongHits(results: HTMLElement, key: string): boolean {
  const columns = [...results.querySelectorAll('ol')].map((list) => [
    ...list.querySelectorAll<HTMLAnchorElement>('[data-hit]'),
  ]);
  const focused = document.activeElement;
  const column = columns.findIndex((links) => links.some((link) => sameHit(link, focused)));
  if (column === -1) {
    return key === 'ArrowDown' && focusOn(columns.find((links) => links.length > 0)?.[0]);
  }
  const rank = columns[column].findIndex((link) => sameHit(link, focused));
  if (key === 'ArrowDown') return focusOn(columns[column][rank + 1]);
  if (key === 'ArrowUp') return rank > 0 ? focusOn(columns[column][rank - 1]) : focusOn(searchBox());
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return false;
  const next = columns[column + (key === 'ArrowLeft' ? -1 : 1)];
  if (!next) return false;
  const id = columns[column][rank].closest<HTMLElement>('.hit')?.dataset.document;
  const twin = next.find((link) => link.closest<HTMLElement>('.hit')?.dataset.document === id);
  return focusOn(twin ?? next[Math.min(rank, next.length - 1)]);
}

function searchBox(): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>('#query');
}

/** The focus may be on a hit's other controls, too. */
function sameHit(link: HTMLElement, focused: Element | null): boolean {
  return focused !== null && link.closest('.hit') === focused.closest('.hit');
}

function focusOn(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  return element !== null && element !== undefined;
}
