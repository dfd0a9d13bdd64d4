/** Parts of an encoder whose gradient norms are watched apart, as in Fig. 4 of the ANCE paper. */
export type LayerGroup = 'embeddings' | 'bottom' | 'middle' | 'top' | 'head';

/** The group of a parameter; the transformer's layers are cut into thirds. Tower prefixes are ignored. */
export function layerGroupOf(name: string, layers: number): LayerGroup {
  // New layers on top of an encoder: a decoder's, too.
  if (name.startsWith('decoder.')) return 'head';
  const layer = /encoder\.(?:layer|block)\.(\d+)\./.exec(name)?.[1];
  if (layer !== undefined)
    return (['bottom', 'middle', 'top'] as const)[Math.floor((Number(layer) * 3) / layers)];
  return name.includes('embeddings.') || name.startsWith('shared.') ? 'embeddings' : 'head';
}
