import { describe, expect, test } from 'vitest';
import { UsageError } from '../base/errors.js';
import { measureNames, parseMeasure, parseMeasureList, parseMeasures } from './parse-measure.js';

const names = (text: string): string[] => parseMeasures(text).map(({ name }) => name);

describe('names', () => {
  test.each([
    ['nDCG@10', 'ndcg_cut_10'],
    ['ndcg@10', 'ndcg_cut_10'],
    ['nDCG', 'ndcg'],
    ['RR', 'recip_rank'],
    ['MRR', 'recip_rank'],
    ['AP', 'map'],
    ['map', 'map'],
    ['AP@100', 'map_cut_100'],
    ['Recall@5', 'recall_5'],
    ['R@1000', 'recall_1000'],
    ['P_5', 'P_5'],
    ['IPrec@0.1', 'iprec_at_recall_0.10'],
    ['success_10', 'success_10'],
    ['RR@10', undefined],
    ['P(rel=2)@5', undefined],
  ])('%s is what trec_eval calls %s', (text, trecName) => {
    const measure = parseMeasure(text);
    expect(measure.name).toBe(text);
    expect(measure.trecName).toBe(trecName);
  });

  test.each([
    ['R@1000', 1000],
    ['P(rel=2)@5', 5],
    ['ndcg_cut_20', 20],
    ['success_1', 1],
    ['AP', undefined],
    ['IPrec@1', undefined],
    ['iprec_at_recall_1.00', undefined],
    ['Rprec_mult_2.00', undefined],
  ])('%s looks at no rank after %s', (text, cutoff) => {
    expect(parseMeasure(text).cutoff).toBe(cutoff);
  });

  test('trec_eval: usual cutoffs, lists of them, groups', () => {
    expect(names('ndcg_cut')).toHaveLength(9);
    expect(names('P.10,5')).toEqual(['P_5', 'P_10']);
    expect(names('iprec_at_recall.0.5')).toEqual(['iprec_at_recall_0.50']);
    expect(names('relstring.20')).toEqual(['relstring_20']);
    expect(names('official')).toHaveLength(30);
    expect(names('all_trec')).toHaveLength(100);
  });

  test('parameters replace the usual ones of the same measure, and nothing comes twice', () => {
    const list = parseMeasureList(['official', 'P.5', 'map', 'nDCG@10']).map(({ name }) => name);
    expect(list.filter((name) => name.startsWith('P_'))).toEqual(['P_5']);
    expect(list.filter((name) => name === 'map')).toHaveLength(1);
    expect(list.at(-1)).toBe('nDCG@10');
  });

  test('parameters', () => {
    expect(parseMeasure('P( rel = 2 , judged_only=True )@5')).toMatchObject({ level: 2, judgedOnly: true });
    expect(() => parseMeasure("nDCG(gains={0:0,1:3,2:7.5}, dcg='log2')@10")).not.toThrow();
  });
});

describe('errors', () => {
  test.each([
    ['nDGC@10', 'unknown measure "nDGC@10"', 'did you mean nDCG@10?'],
    ['recal_100', 'unknown measure "recal_100"', undefined],
    ['whatever@5', 'unknown measure "whatever@5"', 'nearmiss eval --list shows all measures'],
    ['P(rel=2)', 'measure "P(rel=2)": expected a cutoff', 'write for example P@10'],
    ['nDCG@0', 'measure "nDCG@0": expected a whole number from 1 after "@", got "0"', undefined],
    ['nDCG@', 'measure "nDCG@": expected a whole number from 1 after "@", got ""', undefined],
    ['Rprec@5', 'measure "Rprec@5": Rprec takes no cutoff', undefined],
    ['P(rl=2)@5', 'measure "P(rl=2)@5": P has no parameter "rl"', 'did you mean rel?'],
    ['P(rel=x)@5', 'measure "P(rel=x)@5": parameter "rel": expected a whole number from 0, got x', undefined],
    ['P(2)@5', 'measure "P(2)@5": expected name=value in the parentheses, got "2"', undefined],
    ['IPrec@2', 'measure "IPrec@2": expected a point of recall from 0 to 1 after "@", got "2"', undefined],
    [
      "nDCG(dcg='ln')@5",
      `measure "nDCG(dcg='ln')@5": parameter "dcg": expected 'log2' or 'exp-log2', got 'ln'`,
      undefined,
    ],
    ['map.5', 'measure "map.5": map takes no parameters', 'write map'],
    ['ndcg.1=3', 'measure "ndcg.1=3": ndcg takes no parameters', 'write gains as nDCG(gains={1:3,2:9})'],
    ['utility.1,2', 'measure "utility_1,2": expected three values, and 0 as a fourth, got 1,2', undefined],
    ['P.0', 'measure "P": expected a whole number from 1 as its parameter, got "0"', undefined],
    ['official', 'measure "official" stands for 30 measures, expected one', 'name one of them, e.g. runid'],
  ])('%s', (text, message, hint) => {
    try {
      parseMeasure(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      expect((error as UsageError).message).toBe(message);
      if (hint !== undefined) expect((error as UsageError).hint).toBe(hint);
    }
  });
});

test('every name listed can be parsed', () => {
  for (const name of measureNames()) {
    const parsed = [name, `${name}@1`].some((text) => {
      try {
        return parseMeasures(text).length > 0;
      } catch {
        return false;
      }
    });
    expect(parsed, name).toBe(true);
  }
});
