import { z } from 'zod';
import { defaulted, mapping, oneOf, text, truth, whole } from '../../base/settings.js';
import { ENGINE_NAMES } from '../../index/engines/kinds.js';
import { INDEX_TYPES } from '../../index/vectors/vector-index.js';

const TOKEN_BITS = '1, 2, 4, exact or auto';

/** Where and how the vectors of checkpoints are searched. */
export const indexSetting = mapping({
  ...defaulted(
    {
      type: oneOf(...INDEX_TYPES, ...ENGINE_NAMES).describe(
        'exact search; a graph; codes of 8 or 1 bits a number, whose best are compared again as whole vectors on disk; or an engine elsewhere that `url` is the address of',
      ),
      storage: oneOf('f32', 'f16', 'i8').describe('how vectors are kept'),
      bits: z
        .literal([1, 2, 4, 'exact', 'auto'], { error: TOKEN_BITS })
        .meta({ expected: TOKEN_BITS })
        .describe(
          'of models with a row for each token: bits kept of each number of a row; `auto`: `exact` up to 262,144 rows, then 4',
        ),
    },
    { type: 'flat', storage: 'f32', bits: 'auto' },
  ),
  dimensions: whole(1)
    .optional()
    .describe(
      'keep only so many first numbers of each vector, of models trained for it (`matryoshka`); `int8` and `binary` keep whole vectors on disk all the same',
    ),
  lists: whole(1)
    .optional()
    .describe(
      'of `int8` and `binary`: lists of near vectors; without it none up to 131,072 vectors, then about √count',
    ),
  probes: whole(1)
    .optional()
    .describe(
      'of `int8` and `binary` with lists: in how many a search looks; without it in one of 10, and 8',
    ),
  rescore: whole(1)
    .optional()
    .describe(
      'of `int8` and `binary`: how many vectors a search compares again as whole ones; without it by k',
    ),
  url: text()
    .optional()
    .describe(
      'of an engine: `qdrant://HOST:PORT/NAME` or `postgres://USER@HOST:PORT/DATABASE/NAME`; several machines with commas',
    ),
  exact: truth()
    .optional()
    .describe(
      'of an engine: compare every document, which is what mining and measuring do unless told otherwise',
    ),
  shards: whole(1).optional().describe('of Qdrant: parts on different machines'),
  replicas: whole(1).optional().describe('of Qdrant: machines that have each part'),
  quantization: oneOf('none', 'int8', 'binary')
    .optional()
    .describe('of an engine: fewer bits in memory, rescored with whole vectors; pgvector has `binary` only'),
}).prefault({});
