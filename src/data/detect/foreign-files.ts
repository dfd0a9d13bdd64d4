import { NearmissError } from '../../base/errors.js';

/** Files of other programs that people have their texts in, and what makes them readable. */
const FOREIGN: [RegExp, string, string][] = [
  [
    /\.(xls|ods|numbers)$/i,
    'a spreadsheet of this kind',
    'save it as .xlsx, or its sheet as CSV, with the names of the columns in the first line',
  ],
  [
    /\.(docx?|odt|rtf|pptx?|epub)$/i,
    'a document of another program',
    'save or convert it as PDF, text, HTML or Markdown',
  ],
];

/** Refuses a file of a program whose files cannot be read, and says what makes it readable. */
export function refuseForeign(file: string): void {
  const [, what, hint] = FOREIGN.find(([ending]) => ending.test(file)) ?? [];
  if (what !== undefined) throw new NearmissError(`${file}: ${what} cannot be read`, { hint });
}
