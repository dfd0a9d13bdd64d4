import { entryBytes, type OverlayState } from '../overlay/overlay.js';
import { encodeRecord, type LiveEntry } from './log-record.js';

/** A snapshot's records are about this large, so that reading and writing one takes little memory. */
const RECORD_BYTES = 2 ** 20;

/** The records that say how things stand. */
export function* snapshotRecords(writes: OverlayState, model: string | undefined): Generator<Buffer> {
  // The last write may have left nothing behind, and its number must not be given again.
  yield encodeRecord({ sequence: writes.sequence, entries: [] });
  let entries: LiveEntry[] = [];
  let bytes = 0;
  for (const entry of writes.entries()) {
    entries.push(entry);
    bytes += entryBytes(entry);
    if (bytes < RECORD_BYTES) continue;
    yield encodeRecord({ sequence: writes.sequence, entries, model });
    entries = [];
    bytes = 0;
  }
  if (entries.length > 0) yield encodeRecord({ sequence: writes.sequence, entries, model });
}
