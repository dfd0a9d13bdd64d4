/** What whoever asks has sent. */
export function readInput<T>(input: Uint8Array): T {
  return JSON.parse(Buffer.from(input).toString()) as T;
}
