import { createInterface } from 'node:readline/promises';
import { NearmissError } from '../../../base/errors.js';
import { jsonText, printable, printableLines } from '../../../base/printable.js';
import { suggest } from '../../../base/suggest.js';
import type { DocumentFilter } from '../../../search/filter/filter.js';
import { parseFilter } from '../../../search/filter/filter-text.js';
import { KnownFields } from '../../../search/filter/known-fields.js';
import { searchModes } from '../../../search/retrievers/modes.js';
import type { SearchMode } from '../../../search/retrievers/retriever.js';
import type { Searcher } from '../../../search/searcher.js';
import { list } from '../../options/option-parsers.js';
import { type AnswerSettings, answer } from './answer.js';
import type { AnswerLinesOptions } from './answer-lines.js';
import type { Style } from './style.js';

const HELP = `Type a query, or:
  :mode MODE      ${searchModes.names.join(', ')}; several with commas stand side by side
  :k N            how many hits
  :filter COND    e.g. year>=2000; :filter alone takes it away
  :explain        how scores came about, on and off
  :open N         the whole text of hit N
  :help  :quit
`;

const COMMANDS = [':mode', ':k', ':filter', ':explain', ':open', ':help', ':quit'];

/** The input is a terminal; lines of a pipe are all queries, see `answerLines`. */
export type PromptOptions = AnswerLinesOptions;

/** Asks for queries until it is told to quit, with a history. A mistake is told and the next line is read. */
export async function runPrompt(options: PromptOptions): Promise<void> {
  const { input, output, errors, searcher } = options;
  const lines = createInterface({ input, output, terminal: true, historySize: 200 });
  const session = new PromptSession(options);
  const ask = (): void => {
    lines.setPrompt(`${session.settings.modes.join(',')}> `);
    lines.prompt();
  };
  output.write(`${printable(searcher.name)}: ${searcher.modes.join(', ')}; :help for help\n`);
  ask();
  try {
    for await (const line of lines) {
      try {
        const reply = await session.handle(line.trim());
        if (reply === undefined) break;
        output.write(reply);
      } catch (error) {
        if (!(error instanceof NearmissError)) throw error;
        errors.write(printableLines(`${error.message}\n${error.hint ? `  → ${error.hint}\n` : ''}`));
      }
      ask();
    }
  } finally {
    lines.close();
  }
}

/** What a line means, given what came before. */
class PromptSession {
  settings: AnswerSettings;
  readonly #searcher: Searcher;
  readonly #style: Style;
  #found: readonly string[] = [];

  constructor({ searcher, settings, style }: Pick<PromptOptions, 'searcher' | 'settings' | 'style'>) {
    this.#searcher = searcher;
    this.settings = settings;
    this.#style = style;
  }

  /** What to print; undefined ends the session. */
  async handle(line: string): Promise<string | undefined> {
    if (line === '') return '';
    if (!line.startsWith(':')) return this.#search(line);
    const [command] = line.split(/\s+/, 1);
    const argument = line.slice(command.length).trim();
    switch (command) {
      case ':quit':
      case ':q':
        return undefined;
      case ':help':
        return HELP;
      case ':mode':
        return this.#set({ modes: this.#modes(argument) });
      case ':k':
        return this.#set({ k: wholeNumber(argument, ':k 20') });
      case ':filter':
        return this.#set({ filter: argument === '' ? undefined : await this.#filter(argument) });
      case ':explain':
        return this.#set({ explain: !this.settings.explain });
      case ':open':
        return this.#open(wholeNumber(argument, ':open 1'));
    }
    const meant = suggest(command, COMMANDS);
    throw new NearmissError(`unknown command ${command}`, {
      hint: meant ? `did you mean ${meant}?` : ':help lists them',
    });
  }

  async #search(query: string): Promise<string> {
    const { columns, output } = await answer(this.#searcher, query, this.settings, this.#style);
    this.#found = columns[0].hits.map(({ id }) => id);
    return output;
  }

  #set(changes: Partial<AnswerSettings>): string {
    this.settings = { ...this.settings, ...changes };
    return '';
  }

  async #filter(text: string): Promise<DocumentFilter> {
    const filter = parseFilter(text);
    await new KnownFields().check(this.#searcher.documents, filter);
    return filter;
  }

  #modes(text: string): SearchMode[] {
    const modes = list(text);
    // Refuses at once what there is not, and what is not possible here.
    for (const mode of modes) this.#searcher.retriever(mode);
    return modes;
  }

  async #open(place: number): Promise<string> {
    const id = this.#found[place - 1];
    if (id === undefined) {
      throw new NearmissError(`no hit ${place}, the last search has ${this.#found.length}`);
    }
    const document = await this.#searcher.documents.get(id);
    if (!document) throw new NearmissError(`${id}: its text is not at hand`, { hint: 'start with --data' });
    const { title, text, metadata } = document;

    return [
      printable(id),
      ...(title ? [printable(title)] : []),
      '',
      printableLines(text),
      ...(metadata ? ['', jsonText(metadata)] : []),
      '',
    ].join('\n');
  }
}

function wholeNumber(text: string, example: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new NearmissError(`expected a whole number from 1, got "${text}"`, {
    hint: `for example ${example}`,
  });
}
