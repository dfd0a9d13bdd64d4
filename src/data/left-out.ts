/** Endings named one by one. */
const SHOWN = 5;

/** Says which files of a folder of texts are of other types: `3 files of other types were left out (.pdf 2, .docx 1)`. */
export function describeLeftOut(leftOut: Readonly<Record<string, number>> = {}): string | undefined {
  const types = Object.entries(leftOut).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  if (types.length === 0) return undefined;
  const files = sum(types);
  const named = types.slice(0, SHOWN).map(([ending, count]) => `${ending || 'no ending'} ${count}`);
  const others = sum(types.slice(SHOWN));
  const list = [...named, ...(others > 0 ? [`others ${others}`] : [])].join(', ');
  return files === 1
    ? `1 file of another type was left out (${types[0][0] || 'no ending'})`
    : `${files} files of other types were left out (${list})`;
}

function sum(types: readonly [string, number][]): number {
  return types.reduce((total, [, count]) => total + count, 0);
}
