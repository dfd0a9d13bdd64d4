import { NearmissError, UsageError } from '../../base/errors.js';
import { compileFilter, type DocumentFilter } from './filter.js';

const COMPARISONS: Record<string, string> = { '>=': '$gte', '<=': '$lte', '>': '$gt', '<': '$lt' };
const CONDITION = /^\s*([^<>=!\s]+)\s*(>=|<=|!=|=|>|<)\s*(.*?)\s*$/s;

/**
 * Reads a filter as it is typed: JSON, or one condition such as `year>=2000`, `lang=en`, `topic=heart,lung` (any of
 * them) or `lang!=de`. A number that is typed matches the number and the text.
 *
 * @example
 * parseFilter('date>=2000-05'); // { date: { $gte: '2000-05' } }
 */
export function parseFilter(text: string): DocumentFilter {
  const filter = text.trimStart().startsWith('{') ? parseObject(text) : parseCondition(text);
  check(filter);
  return filter;
}

/** What is wrong with a filter is here a mistake of the person who typed it. */
function check(filter: DocumentFilter): void {
  try {
    compileFilter(filter);
  } catch (error) {
    if (!(error instanceof NearmissError)) throw error;
    throw new UsageError(error.message, { hint: error.hint, cause: error });
  }
}

/** All of several filters. */
export function allOf(filters: readonly DocumentFilter[]): DocumentFilter | undefined {
  return filters.length > 1 ? { $and: filters } : filters[0];
}

function anyOf(filters: readonly DocumentFilter[]): DocumentFilter {
  return filters.length > 1 ? { $or: filters } : filters[0];
}

function parseObject(text: string): DocumentFilter {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`filter: not valid JSON: ${(error as Error).message}`, {
      hint: `for example '{"year": {"$gte": 2000}}', or year>=2000`,
      cause: error,
    });
  }
}

function parseCondition(text: string): DocumentFilter {
  const match = CONDITION.exec(text);
  if (!match) {
    throw new UsageError(
      `filter: expected a condition such as year>=2000 or lang=en, got ${JSON.stringify(text)}`,
      { hint: 'more than one: repeat --filter; anything else: JSON such as {"lang": {"$in": ["en", "de"]}}' },
    );
  }
  const [, field, operator, typed] = match;
  const comparison = COMPARISONS[operator];
  const given = comparison ? [typed] : typed.split(',').map((value) => value.trim());
  if (given.includes('')) throw noValue(text, field, operator);
  if (comparison) return anyOf(values(typed).map((value) => ({ [field]: { [comparison]: value } })));
  const wanted = given.flatMap(values);
  return { [field]: { [operator === '=' ? '$in' : '$nin']: wanted } };
}

function noValue(text: string, field: string, operator: string): UsageError {
  const message = `filter: expected a value after "${operator}", got ${JSON.stringify(text)}`;
  const hint =
    operator in COMPARISONS
      ? `for example ${field}${operator}2000`
      : `for example ${field}${operator}en or ${field}${operator}en,de; the empty text: {"${field}": ""}`;
  return new UsageError(message, { hint });
}

/** What a typed value may stand for, the likeliest first. */
function values(typed: string): (string | number | boolean | null)[] {
  if (typed === 'true' || typed === 'false') return [typed === 'true', typed];
  if (typed === 'null') return [null, typed];
  return Number.isFinite(Number(typed)) ? [Number(typed), typed] : [typed];
}
