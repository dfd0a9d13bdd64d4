import { NearmissError } from '../../base/errors.js';

/** Conditions that are asked of every document; any number of equalities of one field in an `$or` is one. */
const MAX_CONDITIONS = 1000;
/** Values to compare with. */
const MAX_VALUES = 10_000;
/** Characters of fields and texts together. */
const MAX_CHARACTERS = 500_000;
/** Characters of a field's name. */
const MAX_NAME = 1000;

/** What a filter may hold: filters come from strangers, and each is asked about every document. */
export class FilterBudget {
  readonly #where: string;
  #conditions = 0;
  #values = 0;
  #characters = 0;

  /** @param where what the filter is called in errors */
  constructor(where: string) {
    this.#where = where;
  }

  takeCondition(): void {
    this.#conditions += 1;
    if (this.#conditions > MAX_CONDITIONS) throw this.#tooMuch(MAX_CONDITIONS, 'conditions');
  }

  takeValues(values: readonly unknown[]): void {
    this.#values += values.length;
    if (this.#values > MAX_VALUES) throw this.#tooMuch(MAX_VALUES, 'values to compare with');
    for (const value of values) if (typeof value === 'string') this.takeText(value);
  }

  takeField(name: string): void {
    if (name.length > MAX_NAME) throw this.#tooMuch(MAX_NAME, "characters in a field's name");
    this.takeText(name);
  }

  takeText(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) throw this.#tooMuch(MAX_CHARACTERS, 'characters');
  }

  #tooMuch(most: number, of: string): NearmissError {
    return new NearmissError(`${this.#where}: expected at most ${most} ${of}, got more`, {
      hint: 'give the documents a field for what is asked, or ask in several searches',
    });
  }
}
