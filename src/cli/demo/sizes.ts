import type { ReverseDictionaryOptions } from '../../data/wordnet/index.js';

/** How large a demo is, and what it needs. */
export interface DemoSize {
  name: string;
  data: Omit<ReverseDictionaryOptions, 'seed' | 'file'>;
  /** Built-in recipes of the two systems that are trained, with what is changed in them. */
  recipes: { ance: string; randNeg: string; set: readonly string[] };
  /** Training queries that the report looks at. */
  reportQueries: number;
  /** On 2 cores; docs/demo.md says what of it was measured, and how. */
  needs: { minutes: string; diskMb: number; memoryMb: number };
}

const RECIPES = { ance: 'demo-ance', randNeg: 'demo-rand-neg' };

/** What people make and eat: concrete nouns with definitions that one can picture. */
const TOPICS = ['artifact', 'food'] as const;

export const DEMO_SIZES = {
  quick: {
    name: 'quick',
    data: { topics: TOPICS, nouns: 400, queries: { dev: 50, test: 100 } },
    recipes: {
      ...RECIPES,
      set: ['model.layers=1', 'checkpoint.every=4', 'stages.train.steps=8', 'batch.queries=8'],
    },
    reportQueries: 20,
    needs: { minutes: 'half a minute', diskMb: 1000, memoryMb: 1700 },
  },
  default: {
    name: 'default',
    data: { topics: TOPICS, nouns: 6000, queries: { train: 1536, dev: 400, test: 2000 } },
    recipes: { ...RECIPES, set: [] },
    reportQueries: 100,
    needs: { minutes: 'under 4 minutes', diskMb: 2000, memoryMb: 4500 },
  },
  full: {
    name: 'full',
    data: { queries: { dev: 1000, test: 4000 } },
    recipes: {
      ...RECIPES,
      set: ['stages.train.steps=1000', 'checkpoint.every=250', 'optimizer.warmupSteps=50'],
    },
    reportQueries: 200,
    needs: { minutes: 'about 2 hours', diskMb: 3000, memoryMb: 5000 },
  },
} satisfies Record<string, DemoSize>;
