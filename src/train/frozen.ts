/** What recipes freeze, as patterns of parameter names behind the prefix of a tower. */
const PARTS: readonly { pattern: RegExp; names: (match: RegExpExecArray) => (name: string) => boolean }[] = [
  { pattern: /^queries$/, names: () => (name) => name.startsWith('query.') },
  { pattern: /^documents$/, names: () => (name) => name.startsWith('document.') },
  { pattern: /^embeddings$/, names: () => (name) => within(name).startsWith('embeddings.') },
  { pattern: /^head$/, names: () => (name) => within(name).startsWith('head.') },
  {
    pattern: /^layers\.(\d+)(?:-(\d+))?$/,
    names: ([, first, last = first]) => {
      return (name) => {
        const layer = /^encoder\.layer\.(\d+)\./.exec(within(name))?.[1];
        return layer !== undefined && Number(layer) >= Number(first) && Number(layer) <= Number(last);
      };
    },
  },
];

/**
 * Which parameters learn in a stage that freezes some parts.
 *
 * @param freeze `queries`, `documents`, `embeddings`, `head`, `layers.2` or `layers.0-3`
 */
export function learnsExcept(freeze: readonly string[]): (name: string) => boolean {
  const frozen = freeze.map((part) => {
    for (const { pattern, names } of PARTS) {
      const match = pattern.exec(part);
      if (match) return names(match);
    }
    throw new Error(`${part}: no part of a model is called so`);
  });
  return (name) => !frozen.some((matches) => matches(name));
}

/** A parameter's name inside its tower. */
function within(name: string): string {
  return name.replace(/^(?:query|document)\./, '');
}
