import { Option } from 'commander';
import { PRECISIONS } from '../../model/precision/precision.js';

/** In which numbers a model multiplies; `Encoder` says what each means. */
export function precisionOption(): Option {
  return new Option(
    '--precision <name>',
    'multiply in fp32, in int8 (about twice as fast where the processor has VNNI, slightly rougher), or auto: the faster, by measuring (default: fp32)',
  ).choices(PRECISIONS);
}
