import type { Command } from 'commander';
import type { Table, TableOptions, TableResult } from '../../../repro/table/table.js';
import { list, wholeNumber } from '../../options/option-parsers.js';
import { type StudyOptions, showStudy, studyCommand } from './study-command.js';

/** What all tables are asked with. */
export interface ReproOptions extends StudyOptions {
  recipes?: string[];
  seeds?: number[];
}

/** A command that makes a table. */
export function tableCommand(repro: Command, name: string): Command {
  return studyCommand(repro, name)
    .option('--recipes <list>', 'only these rows, with commas between', list)
    .option(
      '--seeds <list>',
      'train every row with each of these seeds, with commas between; means are compared',
      seedList,
    );
}

/** Makes a table, shows it and keeps it. */
export async function showTable(
  name: string,
  options: ReproOptions,
  reproduce: (options: Omit<TableOptions, 'table'>) => Promise<Table>,
): Promise<void> {
  const { tableText } = await import('../../../repro/table/report.js');
  const { recipes, seeds } = options;
  await showStudy(name, options, {
    reproduce: (study, say) => reproduce({ ...study, recipes, seeds, onRow: (row) => say(rowLine(row)) }),
    text: tableText,
  });
}

function seedList(value: string): number[] {
  return list(value).map(wholeNumber(0));
}

function rowLine({ system, measures, steps, seconds }: TableResult): string {
  const values = Object.entries(measures).map(([name, value]) => `${name} ${value.toFixed(4)}`);
  return `${system}: ${values.join('  ')}  (${steps} steps, ${Math.round(seconds)} s)`;
}
