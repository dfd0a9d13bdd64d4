// Someone else's run, measured: node examples/library/evaluate.mjs RUN.trec DATA SPLIT
import { evaluate, openDataset, readRun } from 'nearmiss';

const [path, data, split] = process.argv.slice(2);
const run = await readRun(path);
const qrels = await (await openDataset(data)).qrels(split);
const { mean } = evaluate(run, qrels, ['RR@10', 'nDCG@10', 'R@100'], { complete: true });
console.log(run.tag, mean);
