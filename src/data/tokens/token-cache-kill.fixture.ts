/** Builds a token cache from a source without end, to be killed in the middle: `… <directory>`. */
import { MINILM } from '../../text/tokenizer.fixture.js';
import { Tokenizer } from '../../text/tokenizer.js';
import { openTokenCache } from './token-cache.js';
import type { TextRecord } from './token-cache-writer.js';

async function* endless(): AsyncGenerator<TextRecord> {
  for (let i = 0; ; i++) {
    if (i === 10_000) console.log('in the middle');
    yield { id: String(i), text: `near miss ${i}` };
  }
}

await openTokenCache({
  source: { composition: 'text', records: endless },
  fingerprint: 'endless',
  tokenizer: await Tokenizer.load(MINILM),
  maxLength: 16,
  directory: process.argv[2],
  quiet: true,
});
