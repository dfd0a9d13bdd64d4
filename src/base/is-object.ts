/** Whether a value out of JSON or YAML has names and values, as lists have not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
