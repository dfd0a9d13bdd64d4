import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { htmlSections } from './html-sections.js';
import { markdownSections } from './markdown-sections.js';

describe('htmlSections', () => {
  test('reads text by heading and drops what is not text', () => {
    const html = `<!doctype html><html><head><title> Near &amp; far </title><style>p { color: red }</style></head>
      <body><nav><a href="/">Home</a></nav><div role="banner">Site</div>
      <h1>Near <em>misses</em></h1><p>First   <b>bold</b>text.<br>Next line<p>Second &lt;paragraph&gt;
      <script>alert('<p>no</p>')</script><h2>A list</h2><ul><li>one<li>two</ul><div hidden>secret</div>
      <h2>A table</h2><table><tr><th>a<th>b<tr><td>1<td>2</table><img alt="a picture"><footer>©</footer></body>`;
    expect(htmlSections(html)).toEqual({
      title: 'Near & far',
      sections: [
        { headings: ['Near misses'], text: 'First boldtext.\nNext line\n\nSecond <paragraph>' },
        { headings: ['Near misses', 'A list'], text: 'one\ntwo' },
        { headings: ['Near misses', 'A table'], text: 'a b\n1 2\n\na picture' },
      ],
    });
  });

  test('reads only <main> where there is one', () => {
    const html =
      '<h1>Site</h1><p>before<main><h2>Own</h2><p>text<h3>Deeper</h3>more</main><h2>Related</h2><p>after';
    expect(htmlSections(html)).toEqual({
      title: 'Site',
      sections: [
        { headings: ['Own'], text: 'text' },
        { headings: ['Own', 'Deeper'], text: 'more' },
      ],
    });
  });

  test('a heading with nothing under it is text itself; one with smaller headings is not', () => {
    const html = '<h1>A</h1><h2>B</h2><h2>C</h2><p>c</p><h3>D</h3><h1>E</h1>';
    expect(htmlSections(html).sections).toEqual([
      { headings: ['A'], text: 'B' },
      { headings: ['A', 'C'], text: 'c' },
      { headings: ['A', 'C'], text: 'D' },
      { headings: [], text: 'E' },
    ]);
  });

  test('keeps the lines of preformatted text', () => {
    const html = '<p>see</p><pre>\nif (a &lt; b) {\n  c();\n}\n</pre><p>done</p>';
    expect(htmlSections(html).sections).toEqual([
      { headings: [], text: 'see\n\n```\nif (a < b) {\n  c();\n}\n```\n\ndone' },
    ]);
  });

  test('survives anything, and loses no word of plain paragraphs', () => {
    fc.assert(fc.property(fc.string(), (html) => void htmlSections(html)));
    const tags = fc.array(
      fc.constantFrom('<p>', '</p>', '<h1>', '</h2>', '<main>', '<pre>', '<nav>', '</nav>', '<li>', 'x'),
    );
    fc.assert(fc.property(tags, (parts) => void htmlSections(parts.join(''))));
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '中'), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(fc.array(word, { minLength: 1 }), { minLength: 1 }), (paragraphs) => {
        const html = paragraphs.map((words) => `<p>${words.join('\n ')}</p>`).join('');
        expect(htmlSections(html).sections).toEqual([
          { headings: [], text: paragraphs.map((words) => words.join(' ')).join('\n\n') },
        ]);
      }),
    );
  });
});

describe('markdownSections', () => {
  test('reads text by heading, without the marks', () => {
    const markdown = `Near *misses*
=============

A [link](http://example.com), \`code\` & an ![image](x.png).
<nav>skip</nav>

## Lists and **more**

- one
- two

| a | b |
|---|---|
| 1 | 2 |

\`\`\`html
<nav>kept</nav>
\`\`\`
`;
    expect(markdownSections(markdown)).toEqual({
      title: 'Near misses',
      namesHeadings: true,
      sections: [
        {
          headings: ['Near misses'],
          text: 'A link, code & an image.',
          links: [{ text: 'link', href: 'http://example.com' }],
        },
        {
          headings: ['Near misses', 'Lists and more'],
          text: 'one\ntwo\n\na b\n1 2\n\n```html\n<nav>kept</nav>\n```',
        },
      ],
    });
  });

  test.each([
    ['---\ntitle: "Quoted: yes"\ntags: [a]\n---\nBody', 'Quoted: yes'],
    ['---\ntitle: Not: quite YAML\n---\nBody', 'Not: quite YAML'],
    ['---\ntitle: 2024\n...\nBody', '2024'],
    ['+++\ndraft = true\ntitle = "From TOML"\n+++\nBody', 'From TOML'],
    ['---\ntags: []\n---\nBody', undefined],
    ['---\n---\n\nBody', undefined],
  ])('front matter %#', (markdown, title) => {
    const document = markdownSections(markdown);
    expect(document.title).toBe(title);
    expect(document.sections.map(({ text }) => text).join('\n')).toBe('Body');
  });

  test('text between two rules is not front matter', () => {
    const { sections } = markdownSections('---\n\nJust text\n\n---\n\nMore');
    expect(sections).toEqual([{ headings: [], text: 'Just text\n\nMore' }]);
  });
});

describe('places', () => {
  const places = (html: string) =>
    htmlSections(html).sections.map(({ headings, id }) => [headings.at(-1), id]);

  test('a heading is named by itself, by what stands in it, around it or just before it', () => {
    expect(places('<h2 id="own">A</h2><p>text</p>')).toEqual([['A', 'own']]);
    // DocBook
    expect(places('<h2 class="title"><a name="mc.leaks"></a>4.6. Leaks</h2><p>text</p>')).toEqual([
      ['4.6. Leaks', 'mc.leaks'],
    ]);
    // Sphinx
    expect(
      places('<section id="usage"><h2>Usage<a class="headerlink" href="#usage">¶</a></h2><p>text</section>'),
    ).toEqual([['Usage', 'usage']]);
    expect(places('<p>before</p><a name="old"></a>\n<h2>Old pages</h2><p>text</p>').at(-1)).toEqual([
      'Old pages',
      'old',
    ]);
    expect(places('<div id="box"><p>words</p><h2>Further down</h2><p>text</p></div>').at(-1)).toEqual([
      'Further down',
      undefined,
    ]);
  });

  test('the sign behind a heading that links to it is no word of it; a link of words is', () => {
    const html =
      '<h2>Files<span><a class="mark" href="#files" id="files">#</a></span><a aria-hidden="true" id="fs_files"></a></h2><p>text</p><h2>About <a href="/c">C#</a> now</h2><p>text</p>';
    expect(places(html)).toEqual([
      ['Files', 'files'],
      ['About C# now', undefined],
    ]);
  });

  test('two programs in one box are two programs', () => {
    const [{ text }] = htmlSections(
      '<pre><code class="language-mjs">import a;</code><code>require("a");</code><button>copy</button></pre>',
    ).sections;
    expect(text).toBe('```mjs\nimport a;\nrequire("a");\n```');
  });
});
