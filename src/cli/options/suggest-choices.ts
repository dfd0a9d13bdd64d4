import { type Command, InvalidArgumentError } from 'commander';
import { suggest } from '../../base/suggest.js';

/** Lets options with a few possible values say which of them was probably meant. */
export function suggestChoices(command: Command): void {
  for (const option of command.options) {
    const { argChoices, parseArg } = option;
    // Without a parser the command asks by itself whether there is such a value.
    if (argChoices === undefined || parseArg === undefined) continue;
    option.argParser((value: string) => {
      if (argChoices.includes(value)) return value;
      const meant = suggest(value, argChoices);
      throw new InvalidArgumentError(
        `Allowed choices are ${argChoices.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`,
      );
    });
  }
}
