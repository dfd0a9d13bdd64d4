export const PARTS = ['curves', 'negatives', 'recipe', 'checkpoints'] as const;
export type Part = (typeof PARTS)[number];

/** What the page shows; stands in its address, so that it can be shared. */
export interface PageState {
  /** Empty: the page chooses. */
  runs: string[];
  part: Part;
  /** From 0, every step as it was, to almost 1. */
  smoothing: number;
  logLoss: boolean;
  /** The dev measure, and the layer group that several runs are compared by. */
  measure?: string;
  group?: string;
  /** Of the negatives browser. */
  query?: string;
  table?: string;
}

const DEFAULT_SMOOTHING = 0.6;

export function readPageState(params: URLSearchParams): PageState {
  const part = params.get('show') as Part;
  const smoothing = Number(params.get('smooth') ?? DEFAULT_SMOOTHING);
  return {
    runs: [...new Set(params.getAll('run'))],
    part: PARTS.includes(part) ? part : 'curves',
    smoothing: smoothing >= 0 && smoothing < 1 ? smoothing : DEFAULT_SMOOTHING,
    logLoss: params.get('log') === '1',
    measure: params.get('measure') ?? undefined,
    group: params.get('group') ?? undefined,
    query: params.get('query') ?? undefined,
    table: params.get('table') ?? undefined,
  };
}

/** The address of a state; what is as by default is left out. */
export function pathOfState(state: PageState): string {
  const params = new URLSearchParams();
  for (const run of state.runs) params.append('run', run);
  if (state.part !== 'curves') params.set('show', state.part);
  if (state.smoothing !== DEFAULT_SMOOTHING) params.set('smooth', String(state.smoothing));
  if (state.logLoss) params.set('log', '1');
  for (const name of ['measure', 'group', 'query', 'table'] as const) {
    const value = state[name];
    if (value) params.set(name, value);
  }
  const search = params.toString();
  return search ? `/training?${search}` : '/training';
}
