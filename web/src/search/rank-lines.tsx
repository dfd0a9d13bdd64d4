import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

interface Line {
  id: string;
  path: string;
}

export interface RankLinesProps {
  /** Holds the columns. */
  within: RefObject<HTMLElement | null>;
  active: string | undefined;
  /** Changes whenever the hits do. */
  shown: unknown;
}

/** Curves in the gutters that join the same document in neighbouring columns. Decoration: badges say the same in words. */
export function RankLines({ within, active, shown }: RankLinesProps) {
  const [lines, setLines] = useState<Line[]>([]);
  useLayoutEffect(() => {
    const element = within.current;
    if (!element) return undefined;
    const draw = () => setLines(measure(element));
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    for (const list of element.querySelectorAll('ol')) observer.observe(list);
    draw();
    return () => observer.disconnect();
  }, [within, shown]);
  return (
    <svg class="rank-lines" aria-hidden="true">
      {lines.map(({ id, path }, nth) => (
        <path key={nth} d={path} class={id === active ? 'rank-line-active' : undefined} />
      ))}
    </svg>
  );
}

/** Where a line meets a hit: the middle of its first line. */
const ANCHOR = 22;

function measure(element: HTMLElement): Line[] {
  const origin = element.getBoundingClientRect();
  const place = (hit: Element) => {
    const box = hit.getBoundingClientRect();
    const x = -origin.left + element.scrollLeft;
    return { left: box.left + x, right: box.right + x, y: box.top - origin.top + ANCHOR };
  };
  const columns = [...element.querySelectorAll('ol')].map(
    (list) =>
      new Map([...list.querySelectorAll<HTMLElement>('.hit')].map((hit) => [hit.dataset.document!, hit])),
  );
  return columns.slice(1).flatMap((column, nth) =>
    [...column].flatMap(([id, hit]) => {
      const twin = columns[nth].get(id);
      if (!twin) return [];
      const from = place(twin);
      const to = place(hit);
      const middle = (from.right + to.left) / 2;
      return [
        { id, path: `M${from.right} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.left} ${to.y}` },
      ];
    }),
  );
}
