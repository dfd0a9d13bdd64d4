/** A field of a protocol buffer, read without knowing its meaning. */
export interface Field {
  field: number;
  value: bigint | Uint8Array;
}

/** The fields of one message, in order; written after the specification, apart from the writer. */
export function readFields(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes[at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
      shift += 7n;
    }
  };
  const take = (length: number): Uint8Array => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const kind = key & 7;
    const value = kind === 0 ? varint() : take(kind === 5 ? 4 : Number(varint()));
    fields.push({ field: key >> 3, value });
  }
  return fields;
}

/** The bytes of every field of a number. */
export function messages(bytes: Uint8Array, field: number): Uint8Array[] {
  return readFields(bytes).flatMap((entry) =>
    entry.field === field && typeof entry.value !== 'bigint' ? [entry.value] : [],
  );
}

/** The text of the first field of a number. */
export function text(bytes: Uint8Array, field: number): string {
  return new TextDecoder().decode(messages(bytes, field)[0]);
}
