/** Spreadsheets take a text that begins so for a formula, and run it. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Rows as RFC 4180 has them. Texts that a spreadsheet would run as a formula begin with an apostrophe, which it does not
 * show.
 *
 * @example
 * stringify([['id', 'text'], ['a', 'one, two']]); // 'id,text\r\na,"one, two"\r\n'
 */
export function stringify(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
