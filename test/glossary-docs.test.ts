import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { GLOSSARY } from '../web/src/glossary/terms.js';

test('docs/glossary.md is this list (vitest -u writes it)', async () => {
  const parts = GLOSSARY.map(({ title, terms }) => {
    const lines = terms.map(({ name, text }) => `- **${name}**: ${text}`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  const page = `# Glossary

The words that these pages, the messages and the web UI use. The page *Glossary* of \`nearmiss serve\` has the same list, from which this page is
written (\`web/src/glossary/terms.ts\`).

${parts.join('\n')}`;
  await expect(page).toMatchFileSnapshot(resolve(import.meta.dirname, '../docs/glossary.md'));
});
