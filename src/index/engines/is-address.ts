/** Whether a text is an address and no path; which engine it is of, if any, is for {@link parseEngineAddress} to say. */
export function isEngineAddress(text: string): boolean {
  return /^[a-z][a-z0-9]*:\/\//.test(text);
}
