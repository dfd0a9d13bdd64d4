export interface GlossaryTerm {
  /** What links and addresses call it. */
  id: string;
  name: string;
  /** A sentence or two; what a pointer that rests on the word is told. */
  text: string;
}

export interface GlossaryPart {
  title: string;
  terms: readonly GlossaryTerm[];
}

/** Every word that the pages use and a newcomer may not know. docs/glossary.md is written from this list. */
export const GLOSSARY: readonly GlossaryPart[] = [
  {
    title: 'Ways to search',
    terms: [
      {
        id: 'bm25',
        name: 'BM25',
        text: 'Ranks documents by the words they share with the query; rare words count more, and long documents get no bonus. Needs no model.',
      },
      {
        id: 'dense',
        name: 'Dense',
        text: 'Ranks documents by vectors: a model turns texts into lists of numbers, and texts that mean the same lie near each other, whatever their words.',
      },
      {
        id: 'hybrid',
        name: 'Hybrid',
        text: 'Fuses what BM25 and dense search find into one ranking: the sum of their scores, each in standard deviations from the mean of its list, or with weights that were tuned on judged queries.',
      },
      {
        id: 'cascade',
        name: 'Cascade',
        text: 'A quick search finds candidates, then a cross-encoder reads each of them together with the query and puts them in order. Better and much slower.',
      },
      {
        id: 'cross-encoder',
        name: 'Cross-encoder',
        text: 'A model that reads query and document together and gives one score. It cannot be computed beforehand, so it only reranks.',
      },
      {
        id: 'vector',
        name: 'Vector',
        text: 'What a model makes of a text: a list of numbers (its dimensions). The inner product of two vectors is the score of dense search.',
      },
      {
        id: 'index',
        name: 'Index',
        text: 'What is computed once so that searching is quick: of words for BM25, of vectors for dense search.',
      },
      {
        id: 'version',
        name: 'Version',
        text: 'A fingerprint of everything that decides what is found (model, index, documents), a plus sign, and the number of changes since.',
      },
      {
        id: 'filter',
        name: 'Filter',
        text: 'Conditions on the metadata of documents, such as year at least 2004. Only documents that meet all of them are found.',
      },
    ],
  },
  {
    title: 'Measures',
    terms: [
      {
        id: 'rr',
        name: 'RR@10',
        text: 'Reciprocal rank: 1 where the first hit is a right one, 1/2 where the second is, and so on; 0 where none of the first ten is. The mean over queries is also called MRR.',
      },
      {
        id: 'ndcg',
        name: 'nDCG@10',
        text: 'How well the right documents stand at the top of the first ten hits: 1 is the best possible order, and a right one further down counts less.',
      },
      {
        id: 'recall',
        name: 'R@100',
        text: 'Recall: the share of all right documents that are among the first hundred hits (or as many as the number says).',
      },
      { id: 'precision', name: 'P@10', text: 'Precision: the share of the first ten hits that are right.' },
      {
        id: 'map',
        name: 'AP',
        text: 'Average precision: the precision at the rank of each right document, averaged over them.',
      },
      {
        id: 'success',
        name: 'Success@10',
        text: '1 where at least one of the first ten hits is right, else 0.',
      },
      {
        id: 'significance',
        name: 'p and *',
        text: 'How likely a difference this large would be by chance, if both were equally good (paired t-test, Holm-corrected). A star stands where p is below .05.',
      },
      {
        id: 'wins',
        name: 'Won, lost, tied',
        text: 'Queries on which one way to search does better than the other, worse, or equally well.',
      },
      {
        id: 'judgment',
        name: 'Judgment',
        text: 'Somebody said of a query and a document whether it answers it: a grade of 1 or more is right, 0 is wrong. Files of them are called qrels.',
      },
      {
        id: 'judged',
        name: 'Judged',
        text: 'The split of the queries whose hits people marked as right or wrong on the search page. It can be measured, tuned and learned with like any other.',
      },
      {
        id: 'hole',
        name: 'Hole',
        text: 'A hit that nobody has judged for its query. It counts as wrong, although it may be right.',
      },
    ],
  },
  {
    title: 'Models',
    terms: [
      {
        id: 'base-model',
        name: 'Base model',
        text: 'The model as published, before any training here, with all its layers and its own text length.',
      },
      {
        id: 'untrained',
        name: 'Untrained',
        text: 'The base model as published. Where a training starts from a part of it (fewer layers, shorter texts), that part is called the start.',
      },
      {
        id: 'start',
        name: 'Start',
        text: 'The model that a training began with: the base model, or the part of it that the recipe takes.',
      },
      {
        id: 'checkpoint',
        name: 'Checkpoint',
        text: 'The model as it was after so many steps, kept on disk. The one that measures highest on the dev queries is what gets served.',
      },
      { id: 'dimension', name: 'Dimensions', text: 'How many numbers a vector has.' },
    ],
  },
  {
    title: 'Training',
    terms: [
      {
        id: 'run',
        name: 'Run',
        text: 'One training with everything it left behind: recipe, checkpoints, measures. (A TREC run file is something else: a list of hits.)',
      },
      {
        id: 'recipe',
        name: 'Recipe',
        text: 'All settings of a training: the model it begins with, where negatives come from, the loss, the steps.',
      },
      { id: 'step', name: 'Step', text: 'One change of the model, from one batch of queries.' },
      {
        id: 'stage',
        name: 'Stage',
        text: 'A part of a training with settings of its own, for example first with BM25 negatives, then with ANN negatives.',
      },
      {
        id: 'loss',
        name: 'Loss',
        text: 'How wrong the model is about a batch: high where negatives score like right answers. Training makes it smaller.',
      },
      { id: 'positive', name: 'Positive', text: 'A document that answers the query.' },
      {
        id: 'negative',
        name: 'Negative',
        text: 'A document that does not answer the query and that the model learns to rank below the positive.',
      },
      {
        id: 'ann-negative',
        name: 'ANN negative',
        text: 'A document that the model itself, a little while ago, took for near (approximate nearest neighbours): a near miss, from which it learns most.',
      },
      {
        id: 'bm25-negative',
        name: 'BM25 negative',
        text: 'A document that shares words with the query and does not answer it.',
      },
      {
        id: 'random-negative',
        name: 'Random negative',
        text: 'Any document. After a short while it is too easy to teach anything.',
      },
      {
        id: 'in-batch',
        name: 'In-batch negative',
        text: 'The positive of another query of the same batch. Costs nothing.',
      },
      {
        id: 'ance',
        name: 'ANCE',
        text: 'Training with ANN negatives from an index that is made anew all the time while the model learns (Xiong et al. 2021).',
      },
      {
        id: 'trainer',
        name: 'Trainer',
        text: 'The process that learns. It takes its negatives from what the Inferencer found last.',
      },
      {
        id: 'inferencer',
        name: 'Inferencer',
        text: 'The process that encodes the documents with a recent checkpoint, looks for new negatives, and measures.',
      },
      {
        id: 'refresh',
        name: 'Refresh',
        text: 'The moment at which newly found negatives take the place of older ones.',
      },
      {
        id: 'age',
        name: 'Age of negatives',
        text: 'How many steps ago the model that found them was the current one. The older, the less they fit.',
      },
      {
        id: 'gradient',
        name: 'Gradient norm',
        text: 'How strongly a batch changes the model. Near zero: nothing is left to learn from these negatives.',
      },
      { id: 'learning-rate', name: 'Learning rate', text: 'How large the change of a step is.' },
      {
        id: 'split',
        name: 'Split',
        text: 'A part of the judged queries: train to learn from, dev to choose the checkpoint by, test to measure once at the end.',
      },
      {
        id: 'dev',
        name: 'Dev',
        text: 'Judged queries that are not learned from; they decide which checkpoint is kept as the one to serve.',
      },
      {
        id: 'seed',
        name: 'Seed',
        text: 'The number that all chance comes from: the same seed on the same machine gives the same model.',
      },
      {
        id: 'tsne',
        name: 't-SNE and UMAP',
        text: 'Ways to lay out vectors on a plane so that near ones stay near. Distances between far ones, and the axes, mean nothing.',
      },
    ],
  },
];

const BY_ID = new Map(GLOSSARY.flatMap(({ terms }) => terms.map((term) => [term.id, term] as const)));

export function termOf(id: string): GlossaryTerm | undefined {
  return BY_ID.get(id);
}

const MEASURES: readonly [pattern: RegExp, id: string][] = [
  [/^(?:M?RR|recip_rank)(?:@|$)/i, 'rr'],
  [/^n?dcg/i, 'ndcg'],
  [/^(?:R|recall)@/i, 'recall'],
  [/^P(?:recision)?@/i, 'precision'],
  [/^(?:M?AP)(?:@|$)/i, 'map'],
  [/^success@/i, 'success'],
];

/** The term that explains a measure such as `R@1000`. */
export function termOfMeasure(measure: string): string | undefined {
  return MEASURES.find(([pattern]) => pattern.test(measure))?.[1];
}
