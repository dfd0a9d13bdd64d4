import { Option } from 'commander';

/** As `PRECISIONS` has them: this file is read for every `--help`. */
const CHOICES = ['fp32', 'int8', 'auto'] as const;

/** In which numbers a model multiplies; `Encoder` says what each means. */
export function precisionOption(): Option {
  return new Option(
    '--precision <name>',
    'multiply in fp32, in int8 (about twice as fast where the processor has VNNI, slightly rougher), or auto: the faster, by measuring (default: fp32)',
  ).choices(CHOICES);
}
