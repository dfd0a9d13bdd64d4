import { type Analysis, SECTIONS } from '../analyze.js';
import { escapeMarkup } from '../plot/markup.js';
import type { Figure } from './figures.js';
import { SECTION_TEXTS } from './sections.js';
import type { ReportTable } from './tables.js';

const STYLE = `
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:1330px;margin:2rem auto;padding:0 1rem;background:#fff;color:#222;overflow-wrap:anywhere}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.5rem}h3{font-size:1rem;margin-bottom:.3rem}
p{max-width:75ch}.soft{color:#666}nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem}a{color:#0072b2}
.figures{display:flex;flex-wrap:wrap;gap:1rem}.figures svg{max-width:100%;height:auto}
figure{margin:0;max-width:100%}
.scroll{overflow-x:auto}
.good{color:#00714f;font-weight:600}.bad{color:#b3261e;font-weight:600}
details{border-top:1px solid #ddd;padding:.4rem 0;max-width:1100px}summary{cursor:pointer}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(300px,100%),1fr));gap:0 2rem}
.pair li{margin-bottom:.4rem}.pair .good{font-weight:400}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .8rem;border-bottom:1px solid #ddd;text-align:right}
th:first-child,td:first-child{text-align:left;padding-left:0}
@media (prefers-color-scheme:dark){
body{background:#16181d;color:#e6e6e6}.soft{color:#a0a4ab}a{color:#56b4e9}th,td,details{border-color:#33373f}
.good{color:#43d2a3}.bad{color:#ff9a90}}`;

/** A part of a page. */
export interface PageSection {
  /** Its anchor. */
  id: string;
  title: string;
  about: string;
  figures: readonly Figure[];
  tables: readonly ReportTable[];
  /** Stands after them, as HTML. */
  more?: string;
}

export interface PageParts {
  figures: readonly Figure[];
  tables: readonly ReportTable[];
  /** Come before those of the analysis. */
  first?: readonly PageSection[];
}

/** The whole report as one page that asks nobody for anything. */
export function reportPage(analysis: Analysis, { figures, tables, first = [] }: PageParts): string {
  const sections = [...first, ...analysisSections(figures, tables)];
  const name = escapeMarkup(analysis.run);
  const model = analysis.step === undefined ? '' : `, model of step ${analysis.step}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${name}: analysis</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${name}</h1>
<p class="soft">recipe ${escapeMarkup(analysis.recipe)} on ${escapeMarkup(analysis.data)}, ${
    analysis.finished ? 'finished' : 'going on'
  }${model}; ${escapeMarkup(analysis.createdBy)}</p>
<nav>${sections.map(({ id, title }) => `<a href="#${id}">${escapeMarkup(title)}</a>`).join('')}</nav>
${sections.map(sectionMarkup).join('\n')}
</body>
</html>
`;
}

function analysisSections(figures: readonly Figure[], tables: readonly ReportTable[]): PageSection[] {
  return SECTIONS.flatMap((id) => {
    const own = <T extends { section: string }>(parts: readonly T[]): T[] =>
      parts.filter(({ section }) => section === id);
    const section = { id, ...SECTION_TEXTS[id], figures: own(figures), tables: own(tables) };
    return section.figures.length + section.tables.length > 0 ? section : [];
  });
}

function sectionMarkup({ id, title, about, figures, tables, more = '' }: PageSection): string {
  return `<section id="${id}">
<h2>${escapeMarkup(title)}</h2>
<p>${escapeMarkup(about)}</p>
<div class="figures">${figures.map(({ svg }) => `<figure>${svg}</figure>`).join('')}</div>
${tables.map(tableMarkup).join('\n')}
${more}
</section>`;
}

function tableMarkup({ title, header, rows }: ReportTable): string {
  const cells = (tag: 'th' | 'td', row: readonly string[]): string =>
    `<tr>${row.map((cell) => `<${tag}>${escapeMarkup(cell)}</${tag}>`).join('')}</tr>`;
  return `<h3>${escapeMarkup(title)}</h3>
<div class="scroll"><table><thead>${cells('th', header)}</thead><tbody>${rows
    .map((row) => cells('td', row))
    .join('')}</tbody></table></div>`;
}
