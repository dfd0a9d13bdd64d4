// Someone else's run, measured: npx tsx examples/library/evaluate.ts RUN.trec DATA SPLIT
import { evaluate, openDataset, readRun } from 'nearmiss';

const [path = 'run.trec', data = 'data/mine', split = 'test'] = process.argv.slice(2);
const run = await readRun(path);
const qrels = await (await openDataset(data)).qrels(split);
const { mean } = evaluate(run, qrels, ['RR@10', 'nDCG@10', 'R@100'], { complete: true });
console.log(run.tag, mean);
