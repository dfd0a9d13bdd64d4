/**
 * The few lines of protocol buffers that writing an ONNX file takes: varints, and fields that are numbers,
 * 32-bit floats or length-delimited bytes. A full protobuf library would add a megabyte and a schema compiler.
 */
export class ProtobufWriter {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  integer(field: number, value: number | bigint): this {
    this.#varint((field << 3) | 0);
    this.#varint(value);
    return this;
  }

  float(field: number, value: number): this {
    this.#varint((field << 3) | 5);
    return this.#push(new Uint8Array(new Float32Array([value]).buffer));
  }

  string(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  bytes(field: number, value: Uint8Array): this {
    this.#varint((field << 3) | 2);
    this.#varint(value.length);
    return this.#push(value);
  }

  /** A nested message. */
  message(field: number, content: ProtobufWriter): this {
    this.#varint((field << 3) | 2);
    this.#varint(content.#length);
    for (const chunk of content.#chunks) this.#push(chunk);
    return this;
  }

  finish(): Uint8Array {
    const result = new Uint8Array(this.#length);
    let offset = 0;
    for (const chunk of this.#chunks) {
      result.set(chunk, offset);
      offset += chunk.length;
    }
    return result;
  }

  #push(chunk: Uint8Array): this {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    return this;
  }

  #varint(value: number | bigint): void {
    // Negative numbers are written as their 64-bit two's complement, as protobuf's int64 demands.
    let rest = BigInt.asUintN(64, BigInt(value));
    const bytes: number[] = [];
    while (rest > 0x7fn) {
      bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    bytes.push(Number(rest));
    this.#push(Uint8Array.from(bytes));
  }
}
