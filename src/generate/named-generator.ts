import { NearmissError } from '../base/errors.js';

/** What a generator is wanted for, and where one comes from. */
export const GENERATOR = {
  name: 'generator',
  hint: 'train one on a collection with labels, nearmiss train --recipe query-generator --data … --out runs/generator, or name a T5 folder or a service (http://…/v1)',
};

/** Whether a generator is a service, and not a model of our own. */
export function isEndpoint(generator: string): boolean {
  return /^https?:\/\//i.test(generator);
}

/** Fails where nobody has said which of a service's models is to write. */
export function requireService(url: string, model: string | undefined): void {
  if (model) return;
  throw new NearmissError(`${url}: which of its models is to write?`, {
    hint: 'name it with --generator-model, or in a recipe with service:',
  });
}
