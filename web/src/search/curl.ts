/** A command that asks the same; where keys are wanted, the reader's own is not put into it. */
export function curlOf(address: string, options: { key?: boolean } = {}): string {
  const key = options.key ? ` -H 'authorization: Bearer KEY'` : '';
  return `curl${key} '${address.replaceAll("'", '%27')}'`;
}
