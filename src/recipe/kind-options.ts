import { z } from 'zod';
import type { Kind, OptionsOf } from '../base/registry.js';

/** A kind's own options of what a recipe says, with the defaults of what it leaves out. */
export function kindOptions<Shape extends z.ZodRawShape>(kind: Kind<Shape>, said: object): OptionsOf<Shape> {
  return z.object(kind.options).parse(said) as OptionsOf<Shape>;
}
