import { z } from 'zod';
import { miningReportSchema } from '../../negatives/candidates/manifest.js';

const step = z.int().min(0);
const time = z.string().describe('ISO 8601.');

const miningOutcome = miningReportSchema
  .pick({ ranked: true, kept: true, removed: true })
  .extend({ trainingQueries: z.int(), withoutCandidates: z.int() })
  .describe('What the rules left for the training queries.');

const agreement = z.number().describe("Kendall's τ of student and teacher on dev lists.");

const best = z
  .object({ measure: z.string(), value: z.number(), step })
  .describe('By the measure that the recipe chooses the best model by.');

const summary = {
  state: z
    .enum(['running', 'finished', 'stopped'])
    .describe('Running: a live process of this machine has a role in it.'),
  step: step.describe('Steps taken.'),
  steps: step.describe('Steps of the whole recipe.'),
  recipe: z.string(),
  data: z.string().describe("The collection's name."),
  best: best.optional(),
  updatedAt: time.optional(),
};

export const runSummary = z.object({ name: z.string(), ...summary }).meta({ id: 'RunSummary' });

const process = z.object({
  state: z.enum(['running', 'finished', 'stopped', 'absent']),
  pid: z.int().optional(),
  host: z.string().optional(),
  threads: z.int().optional(),
  startedAt: time.optional(),
  lastEventAt: time.optional(),
  activity: z.string().optional(),
  encoding: z.object({ step, done: z.int(), total: z.int() }).optional(),
  problem: z.string().optional().describe('The last error.'),
  warning: z.string().optional().describe('What was worth a look, last; it went on.'),
  ended: z.boolean(),
});

const adaptation = z.object({
  verdict: z.enum(['better', 'level', 'not better']),
  measure: z.string().describe('What `start` and `adapted` are values of.'),
  isMade: z
    .boolean()
    .describe('Whether the queries it was measured on were made of the documents, and not asked by people.'),
  natural: z
    .boolean()
    .describe('Whether people wrote them as what they are, as titles are; parts of texts are poor judges.'),
  unread: z
    .boolean()
    .describe(
      'Whether most of them are in another script than the start knows, so that words alone may find more.',
    ),
  kinds: z
    .array(
      z.object({
        kind: z.string(),
        queries: z.int(),
        start: z.number(),
        adapted: z.number(),
        p: z.number().describe('Two-sided, of the paired t-test.'),
      }),
    )
    .describe('Held-out queries by kind, before and after.'),
});

export const runDetails = z
  .object({
    name: z.string(),
    ...summary,
    description: z.string(),
    split: z.string(),
    seed: z.int(),
    fingerprint: z.string(),
    createdBy: z.string(),
    settings: z.array(z.object({ path: z.string(), value: z.unknown(), origin: z.string().optional() })),
    stages: z.array(
      z.object({
        name: z.string(),
        start: step,
        end: step,
        negatives: z.array(z.string()),
        loss: z.string(),
        learningRate: z.number(),
      }),
    ),
    checkpoints: z
      .array(
        z.object({
          step,
          indexed: z.boolean(),
          mined: z.boolean(),
          measured: z.boolean(),
          best: z.boolean(),
        }),
      )
      .describe('Those still on disk.'),
    evaluations: z.array(
      z.object({
        step,
        measures: z.record(z.string(), z.number()),
        seconds: z.number(),
        best: z.boolean(),
        agreement: agreement.optional(),
      }),
    ),
    refreshes: z.array(
      z.object({
        step,
        time,
        encodeSeconds: z.number(),
        indexSeconds: z.number(),
        searchSeconds: z.number(),
        documents: z.int(),
        queries: z.int(),
        replacedShare: z.number().optional(),
        mining: miningOutcome.optional(),
      }),
    ),
    made: z
      .array(
        z.object({
          step,
          stage: z.string(),
          maker: z.string(),
          seconds: z.number(),
          figures: z.record(z.string(), z.number()).optional(),
        }),
      )
      .describe('What stages made.'),
    teachers: z
      .array(
        z.object({
          step,
          stage: z.string(),
          measure: z.string(),
          split: z.string(),
          queries: z.int(),
          teacher: z.number(),
          student: z.number(),
          agreement: agreement.optional(),
        }),
      )
      .describe('How teachers did beside their students on what these find, before anything was learned.'),
    mined: z
      .array(z.object({ step, source: z.string(), mining: miningOutcome }))
      .describe('What the rules left of candidates that do not change.'),
    processes: z.object({ trainer: process, inferencer: process }),
    indexAge: z.int().optional().describe('Steps that the negatives in use are old.'),
    secondsLeft: z.number().optional(),
    adaptation: adaptation.optional().describe('What came of `nearmiss adapt`, where it has ended.'),
    goesOn: z
      .enum(['train', 'adapt'])
      .optional()
      .describe('Where it was stopped and can go on here: the `kind` to start under its name.'),
    measuredSources: z
      .object({
        step: step.optional(),
        sources: z.array(
          z.object({ source: z.string(), mean: z.number(), toInBatch: z.number().optional() }),
        ),
      })
      .optional()
      .describe('Mean gradient norms of negatives by source, where `nearmiss analyze` has measured them.'),
  })
  .meta({ id: 'RunDetails' });

const series = z
  .object({
    x: z.array(z.number()),
    y: z.array(z.number()),
    low: z.array(z.number()).optional(),
    high: z.array(z.number()).optional(),
  })
  .meta({
    id: 'Series',
    description: 'Where points stand for several steps, `low` and `high` are their extremes.',
  });
const seriesByName = z.record(z.string(), series);

export const runCurves = z
  .object({
    name: z.string(),
    version: z.string().describe('Another one whenever there are new events.'),
    steps: step,
    stages: z.array(z.object({ name: z.string(), start: step })),
    loss: series,
    gradientNorm: series.describe('Before clipping.'),
    groupNorms: seriesByName.describe('Gradient norms by layer group.'),
    sourceNorms: seriesByName.describe(
      'Gradient norms by source of negatives: of each by itself where the run measured that, else of the mixture.',
    ),
    learningRate: series,
    dev: seriesByName,
    indexAge: series.describe('Steps since the checkpoint that mined the negatives.'),
    negativesVersion: series.describe('The checkpoint that mined the negatives of each step, by corners.'),
    figures: seriesByName.describe('What the task said of its batches: `teacherMargin`, `maskedShare`.'),
    agreement: series.describe("Kendall's τ of student and teacher on dev lists, at checkpoints."),
    replaced: series.describe('Share of candidates that each refresh replaced.'),
    tokensPerSecond: series.describe('Of the Trainer.'),
    documentsPerSecond: series.describe('Encoded by the Inferencer.'),
    refreshSeconds: z.object({ encode: series, index: series, search: series }),
  })
  .meta({ id: 'RunCurves' });

const trainingQuery = z.object({ id: z.string(), text: z.string() });
export const trainingQueries = z
  .object({ queries: z.array(trainingQuery), more: z.boolean() })
  .meta({ id: 'TrainingQueries' });

const document = z.object({
  id: z.string(),
  title: z.string().optional(),
  text: z.string().describe('Its beginning.'),
});
const table = z.object({ name: z.string(), step: step.optional() });
const count = z.int().min(0);

export const minedNegatives = z
  .object({
    query: trainingQuery,
    tables: z.array(table).describe('What there is to choose from: newest first.'),
    positives: z.array(document),
    provenance: z.object({
      name: z.string(),
      source: z.string(),
      depth: z.int(),
      index: z.string().optional(),
      checkpoint: z.int().optional().describe('The step of the checkpoint that ranked this query.'),
      previous: z.int().optional().describe('The version that `wasCandidate` compares with.'),
      rules: z.array(z.object({ name: z.string(), parameters: z.record(z.string(), z.number()) })),
      report: miningReportSchema,
      createdBy: z.string(),
    }),
    count: count.describe('Candidates of the query, on all pages.'),
    negatives: z.array(
      z.object({
        rank: z.int().describe('In the original ranking, from 1.'),
        score: z.number().optional(),
        document,
        wasCandidate: z.boolean().optional(),
      }),
    ),
    removedRanks: z.array(z.int()).describe('Ranks whose documents a rule has removed.'),
  })
  .meta({ id: 'MinedNegatives' });

export const runList = z.object({
  runs: z.array(runSummary),
  unreadable: z.array(z.string()).describe('Runs whose files cannot be read; the log says why.'),
});

export type RunSummary = z.infer<typeof runSummary>;
export type RunState = RunSummary['state'];
export type Adaptation = z.infer<typeof adaptation>;
export type RunDetails = z.infer<typeof runDetails>;
export type ProcessDetails = z.infer<typeof process>;
export type Series = z.infer<typeof series>;
export type RunCurves = z.infer<typeof runCurves>;
export type RunList = z.infer<typeof runList>;
export type TrainingQueries = z.infer<typeof trainingQueries>;
export type MinedNegatives = z.infer<typeof minedNegatives>;
export type ShownDocument = z.infer<typeof document>;
