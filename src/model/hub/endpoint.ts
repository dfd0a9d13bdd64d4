const DEFAULT_ENDPOINT = 'https://huggingface.co';

/** The hub's address: what was given, `$HF_ENDPOINT` or huggingface.co. */
export function hubEndpoint(given: string | undefined): string {
  return (given ?? (process.env.HF_ENDPOINT || DEFAULT_ENDPOINT)).replace(/\/+$/, '');
}
