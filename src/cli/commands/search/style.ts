/** How hits look: with colours on a terminal, plain elsewhere. */
export interface Style {
  colour: boolean;
  /** Characters in a line. */
  width: number;
}

const DEFAULT_WIDTH = 100;

export function styleOf(stream: NodeJS.WriteStream): Style {
  const colour = stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return { colour, width: (stream.isTTY && stream.columns) || DEFAULT_WIDTH };
}

export function bold(text: string, { colour }: Style): string {
  return colour ? `\x1b[1m${text}\x1b[22m` : text;
}

export function dim(text: string, { colour }: Style): string {
  return colour ? `\x1b[2m${text}\x1b[22m` : text;
}

/** Marks [start, end) ranges of a text, on a terminal only. */
export function highlight(
  text: string,
  ranges: readonly (readonly [number, number])[],
  style: Style,
): string {
  if (!style.colour) return text;
  let marked = '';
  let at = 0;
  for (const [start, end] of ranges) {
    marked += `${text.slice(at, start)}\x1b[33m${text.slice(start, end)}\x1b[39m`;
    at = end;
  }
  return marked + text.slice(at);
}
