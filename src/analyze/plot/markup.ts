/** Protects the characters that mean something in HTML and SVG. */
export function escapeMarkup(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character]);
}

type Attributes = Record<string, string | number | undefined>;

/** One SVG element; numbers are rounded to hundredths of a pixel. */
export function element(name: string, attributes: Attributes, content?: string): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) => ` ${key}="${typeof value === 'number' ? round(value) : escapeMarkup(String(value))}"`,
    )
    .join('');
  return content === undefined ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

export function text(content: string, attributes: Attributes): string {
  return element('text', attributes, escapeMarkup(content));
}

/** A polyline through the points, broken where one is not a number. */
export function pathThrough(points: readonly (readonly [number, number])[]): string {
  let path = '';
  let pen = 'M';
  for (const [x, y] of points) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      pen = 'M';
      continue;
    }
    path += `${pen}${round(x)} ${round(y)}`;
    pen = 'L';
  }
  return path;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
