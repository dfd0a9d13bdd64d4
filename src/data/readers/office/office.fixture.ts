import { strToU8, zipSync } from 'fflate';

const XML = '<?xml version="1.0"?>';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

type Cell = string | number | null;

/** A workbook as Excel writes it, with a sheet for each name. */
export function workbook(sheets: Record<string, Cell[][]>): Uint8Array {
  const names = Object.keys(sheets);
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const files: Record<string, string> = {
    '[Content_Types].xml': `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${RELATIONS}">${relation('r1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="s${i}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${RELATIONS}">${names.map((_, i) => relation(`s${i}`, 'worksheet', `worksheets/s${i}.xml`)).join('')}</Relationships>`,
  };
  for (const [i, name] of names.entries()) files[`xl/worksheets/s${i}.xml`] = worksheet(sheets[name]);
  return zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])));
}

function worksheet(rows: readonly Cell[][]): string {
  const cell = (value: Cell, place: string): string => {
    if (value === null) return '';
    if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`;
    return `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`;
  };
  const line = (cells: readonly Cell[], i: number): string =>
    `<row r="${i + 1}">${cells.map((value, j) => cell(value, `${'ABCDEFG'[j]}${i + 1}`)).join('')}</row>`;
  return `${XML}<worksheet xmlns="${MAIN}"><sheetData>${rows.map(line).join('')}</sheetData></worksheet>`;
}

/** A PDF whose pages have these lines; a page without any is what a scanner makes, without its picture. */
export function pdf(pages: readonly (readonly string[])[], title?: string): Buffer {
  const objects: string[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  for (const [i, lines] of pages.entries()) {
    const text = `BT /F1 12 Tf 72 740 Td ${lines.map((line) => `(${line}) Tj 0 -20 Td`).join(' ')} ET`;
    const content = lines.length === 0 ? '' : text;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  const info = title === undefined ? '' : ` /Info ${objects.push(`<< /Title (${title}) >>`)} 0 R`;
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const offset = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${info} >>\nstartxref\n${table}\n%%EOF`;
  return Buffer.from(file, 'latin1');
}
