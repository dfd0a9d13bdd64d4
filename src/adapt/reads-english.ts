/** Whether a start knows Latin letters alone. */
export function readsEnglish(model: string): boolean {
  return model === 'minilm';
}
