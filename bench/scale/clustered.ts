import { Random } from '../../src/engine/random.js';
import { oneRowEach } from '../../src/model/encoder/encoded-texts.js';
import { VectorFileWriter } from '../../src/model/tensors/vector-file.js';

const BLOCK = 8192;

/** Streams unit vectors around random centres to a file, as `clusteredVectors` of the tests draws them in memory. */
export async function writeClustered(
  path: string,
  {
    count,
    dimension,
    clusters,
    seed,
    part,
  }: { count: number; dimension: number; clusters: number; seed: number; part: string },
): Promise<void> {
  const centres = new Float32Array(clusters * dimension);
  const centreRandom = Random.from(seed, 'centres');
  for (let i = 0; i < centres.length; i++) centres[i] = centreRandom.normal();
  const random = Random.from(seed, 'vectors', part);
  const writer = await VectorFileWriter.create(path, { dimension });
  for (let first = 0; first < count; first += BLOCK) {
    const rows = Math.min(BLOCK, count - first);
    const vectors = new Float32Array(rows * dimension);
    for (let row = 0; row < rows; row++) {
      const centre = random.integer(clusters) * dimension;
      let square = 0;
      for (let i = 0; i < dimension; i++) {
        const value = centres[centre + i] + random.normal();
        vectors[row * dimension + i] = value;
        square += value * value;
      }
      const length = Math.sqrt(square);
      for (let i = 0; i < dimension; i++) vectors[row * dimension + i] /= length;
    }
    await writer.write({ vectors, offsets: oneRowEach(rows) });
  }
  await writer.commit();
}
