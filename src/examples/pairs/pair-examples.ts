import { NearmissError } from '../../base/errors.js';
import { Random } from '../../engine/random.js';
import { TextStore } from '../../negatives/text-store.js';
import {
  type Example,
  type ExampleSource,
  type ExamplesContext,
  type ExamplesKind,
  examplesKind,
} from '../example.js';
import type { MadePair, PairMaker, PairSource } from './pair-maker.js';
import { pairSources } from './sources.js';

/**
 * A pair maker as a source of examples: example `n` is the n-th file or article that gives pairs, and asking for it again gives
 * another pair of it. Texts wait in a temporary file.
 */
export function pairExamplesKind(maker: PairMaker): ExamplesKind {
  return examplesKind({
    name: maker.name,
    description: maker.description,
    options: maker.options,
    ...(maker.needsDropout && { needsDropout: true }),
    ...(maker.check && { check: maker.check }),
    open: (options, context) => PairExamples.open(maker, options, context),
  });
}

class PairExamples implements ExampleSource {
  readonly #store: TextStore;
  readonly #make: (source: PairSource, random: Random) => MadePair[];
  readonly #context: ExamplesContext;
  /** The first document of each source and how many it has. */
  readonly #documents: readonly Int32Array[];

  private constructor(
    store: TextStore,
    documents: readonly Int32Array[],
    make: (source: PairSource, random: Random) => MadePair[],
    context: ExamplesContext,
  ) {
    this.#store = store;
    this.#documents = documents;
    this.#make = make;
    this.#context = context;
  }

  static async open(maker: PairMaker, options: object, context: ExamplesContext): Promise<PairExamples> {
    const { dataset, seed } = context;
    const make = (source: PairSource, random: Random): MadePair[] => [
      ...maker.make(source, random, options as never),
    ];
    const documents: Int32Array[] = [];
    const usable = async function* (): AsyncGenerator<string> {
      let nth = 0;
      for await (const source of pairSources(dataset)) {
        if (make(source, Random.from(seed, 'pairs', nth++)).length === 0) continue;
        documents.push(Int32Array.from(source.passages, ({ number }) => number));
        yield JSON.stringify(source);
      }
    };
    const store = await TextStore.create(usable());
    if (documents.length > 1) return new PairExamples(store, documents, make, context);
    await store.close();
    throw tooFew(dataset.name, maker, documents.length);
  }

  get count(): number {
    return this.#documents.length;
  }

  async at(example: number, random: Random): Promise<Example> {
    const source: PairSource = JSON.parse(this.#store.get(example));
    const pairs = this.#make(source, random);
    const { query, document, positive, negative } = pairs[random.integer(pairs.length)];
    const { tokenize } = this.#context;
    const [tokens] = await tokenize([query], 'query');
    if (positive === undefined) return { query: tokens, positive: document };
    const texts = await tokenize(negative === undefined ? [positive] : [positive, negative], 'document');
    return { query: tokens, positive: texts[0], ...(texts.length > 1 && { negatives: texts.slice(1) }) };
  }

  relevant(example: number): Int32Array {
    return this.#documents[example];
  }

  grades(example: number): Float32Array {
    return new Float32Array(this.#documents[example].length).fill(1);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

function tooFew(name: string, maker: PairMaker, count: number): NearmissError {
  return new NearmissError(
    `${name}: examples: ${maker.name} needs two documents or more that give pairs, got ${count}`,
    {
      hint: `it makes pairs where ${maker.description}; \`nearmiss data pairs\` shows what each maker would make`,
    },
  );
}
