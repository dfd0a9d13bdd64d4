/** A flag as it is typed, by the name that its value has in the program: `--fb-docs` of `fbDocs`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
