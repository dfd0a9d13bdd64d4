import { type FrozenPart, frozenParts } from '../recipe/freeze.js';

/**
 * Which parameters learn in a stage that freezes some parts.
 *
 * @param freeze `queries`, `documents`, `encoder`, `embeddings`, `head`, `layers.2` or `layers.0-3`
 */
export function learnsExcept(freeze: readonly string[]): (name: string) => boolean {
  const frozen = frozenParts(freeze);
  return (name) => !frozen.some((part) => belongsTo(name, part));
}

function belongsTo(name: string, frozen: FrozenPart): boolean {
  if (frozen.part === 'queries') return name.startsWith('query.');
  if (frozen.part === 'documents') return name.startsWith('document.');
  // The half of a model that writes which reads, the words of both halves included.
  if (frozen.part === 'encoder') return /^(?:encoder|shared)\./.test(name);
  const inTower = name.replace(/^(?:query|document)\./, '');
  if (frozen.part !== 'layers') return inTower.startsWith(`${frozen.part}.`);
  const layer = /^encoder\.layer\.(\d+)\./.exec(inTower)?.[1];
  return layer !== undefined && Number(layer) >= frozen.first && Number(layer) <= frozen.last;
}
