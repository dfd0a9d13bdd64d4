import { UsageError } from '../base/errors.js';
import { suggest } from '../base/suggest.js';
import type { Measure } from './measure.js';
import { MEASURE_FAMILIES, type MeasureFamily, ParameterError } from './measures/families.js';
import { TREC_FAMILIES, TREC_NICKNAMES, type TrecFamily } from './measures/trec-families.js';
import { parseParameters } from './parse-parameters.js';

/**
 * Makes a measure from its name, in the grammar of ir_measures (`nDCG@10`, `P(rel=2)@5`, `nDCG(dcg='exp-log2')@10`)
 * or as trec_eval writes it (`ndcg_cut_10`, `recip_rank`).
 *
 * @example
 * const { mean } = evaluate(run, qrels, [parseMeasure('nDCG@10')]);
 */
export function parseMeasure(text: string): Measure {
  const measures = parseMeasures(text);
  if (measures.length === 1) return measures[0];
  throw new UsageError(`measure "${text}" stands for ${measures.length} measures, expected one`, {
    hint: `name one of them, e.g. ${measures[0].name}`,
  });
}

/**
 * Like {@link parseMeasure}, for names that may stand for several: trec_eval's groups (`official`, `all_trec`, `set`),
 * measures with all their usual cutoffs (`P`, `ndcg_cut`) or with a list of them (`P.5,10`).
 */
export function parseMeasures(text: string): Measure[] {
  const name = text.trim();
  const nickname = TREC_NICKNAMES.get(name);
  if (nickname) return nickname.flatMap((family) => parseMeasures(family));
  if (!/[@(]/.test(name)) {
    const trec = parseTrecName(name);
    if (trec) return trec;
  }
  return [parseFamilyName(name)];
}

/**
 * Reads the measures of a command line as trec_eval does: one that is named with parameters (`P.5`) takes the place of
 * the same one without (`P`, also as a part of `official`), and none comes twice.
 */
export function parseMeasureList(texts: readonly string[]): Measure[] {
  const single = texts.map((text) => text.trim()).flatMap((text) => TREC_NICKNAMES.get(text) ?? [text]);
  const withParameters = new Set(single.map((text) => splitTrecName(text)?.family.name));
  const measures = single.filter((text) => !withParameters.has(text)).flatMap(parseMeasures);
  return [...new Map(measures.map((measure) => [measure.name, measure])).values()];
}

/** Every name that {@link parseMeasures} knows, without cutoffs and parameters. */
export function measureNames(): string[] {
  const families = MEASURE_FAMILIES.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  return [...families, ...TREC_FAMILIES.map(({ name }) => name), ...TREC_NICKNAMES.keys()];
}

function parseTrecName(text: string): Measure[] | undefined {
  const exact = TREC_FAMILIES.find(({ name }) => name === text);
  if (exact) return trecMeasures(exact);
  const split = splitTrecName(text);
  if (!split) return undefined;
  const { family, values } = split;
  if (family.each || family.together) return trecMeasures(family, values);
  throw new UsageError(`measure "${text}": ${family.name} takes no parameters`, {
    hint: family.name === 'ndcg' ? 'write gains as nDCG(gains={1:3,2:9})' : `write ${family.name}`,
  });
}

/** Takes `P.5,10` or `P_5` apart; undefined where no parameters follow. */
function splitTrecName(text: string): { family: TrecFamily; values: string[] } | undefined {
  // The longest name first, so that `set_P_5` is never read as a shorter name with a longer parameter.
  const family = TREC_FAMILIES.filter(({ name }) => text.startsWith(name))
    .sort((a, b) => b.name.length - a.name.length)
    .find(({ name }) => /^[._]-?[\d.]/.test(text.slice(name.length)));
  return family && { family, values: text.slice(family.name.length + 1).split(',') };
}

function trecMeasures(family: TrecFamily, given: string[] = []): Measure[] {
  const values = given.map((value) => trecNumber(family, value));
  if (!family.each) {
    if (family.together === 'one' && values.length > 1) {
      throw new UsageError(`measure "${family.name}": expected one parameter, got ${values.length}`);
    }
    const name = given.length === 0 ? family.name : `${family.name}_${given.join(',')}`;
    return [{ name, trecName: name, ...naming(name, () => family.make(values)) }];
  }
  const each = given.length === 0 ? family.each : [...values].sort((a, b) => a - b);
  return each.map((value) => {
    const name = `${family.name}_${value.toFixed(family.decimals ?? 0)}`;
    return { name, trecName: name, ...(isCutoff(family) && { cutoff: value }), ...family.make([value]) };
  });
}

function trecNumber(family: TrecFamily, text: string): number {
  const value = Number(text);
  const cutoff = isCutoff(family);
  if (text !== '' && Number.isFinite(value) && (!cutoff || (Number.isInteger(value) && value > 0)))
    return value;
  const expected = cutoff ? 'a whole number from 1' : 'a number';
  throw new UsageError(`measure "${family.name}": expected ${expected} as its parameter, got "${text}"`);
}

/** Whether the value that follows a name is a rank. */
function isCutoff({ each, decimals }: TrecFamily): boolean {
  return each !== undefined && decimals === undefined;
}

function parseFamilyName(text: string): Measure {
  const match = /^([^@(]*)(?:\((.*)\))?(?:@(.*))?$/s.exec(text);
  const family = match && findFamily(match[1].trim());
  if (!match || !family) throw unknownMeasure(text, match?.[1].trim() ?? text);
  const parameters = parseParameters(text, family, match[2]);
  const cutoff = parseCutoff(text, family, match[3]?.trim());
  const plain = Object.keys(parameters).length === 0;
  return {
    name: text,
    trecName: plain ? family.trecName?.(cutoff) : undefined,
    level: parameters.rel,
    judgedOnly: parameters.judged_only,
    ...(family.cutoff !== 'recall' && { cutoff }),
    ...naming(text, () => family.make(parameters, cutoff)),
  };
}

/** Adds the measure's name to what is said of a parameter. */
function naming<T>(measure: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof ParameterError) throw new UsageError(`measure "${measure}": ${error.message}`);
    throw error;
  }
}

function findFamily(name: string): MeasureFamily | undefined {
  const lower = name.toLowerCase();
  return MEASURE_FAMILIES.find((family) =>
    [family.name, ...(family.aliases ?? [])].some((known) => known.toLowerCase() === lower),
  );
}

function parseCutoff(text: string, family: MeasureFamily, given: string | undefined): number | undefined {
  if (given === undefined) {
    if (family.cutoff === 'none' || family.cutoff === 'optional') return undefined;
    const example = `${family.name}@${family.cutoff === 'recall' ? '0.1' : '10'}`;
    throw new UsageError(`measure "${text}": expected a cutoff`, { hint: `write for example ${example}` });
  }
  if (family.cutoff === 'none') throw new UsageError(`measure "${text}": ${family.name} takes no cutoff`);
  const value = Number(given);
  if (family.cutoff === 'recall') {
    if (given !== '' && value >= 0 && value <= 1) return value;
    throw new UsageError(
      `measure "${text}": expected a point of recall from 0 to 1 after "@", got "${given}"`,
    );
  }
  if (/^[1-9]\d*$/.test(given)) return value;
  throw new UsageError(`measure "${text}": expected a whole number from 1 after "@", got "${given}"`);
}

function unknownMeasure(text: string, name: string): UsageError {
  const near = suggest(name, measureNames());
  return new UsageError(`unknown measure "${text}"`, {
    hint: near ? `did you mean ${text.replace(name, near)}?` : 'nearmiss eval --list shows all measures',
  });
}
