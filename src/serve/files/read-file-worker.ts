// Reads files that somebody sent, in a worker thread for read-files.ts: what they hold may keep a parser busy for long.
import { parentPort, workerData } from 'node:worker_threads';
import { type FileRead, readSentFile, type SentFile } from './sent-file.js';

const found: FileRead[] = [];
for (const file of workerData as SentFile[]) found.push(await readSentFile(file));
parentPort!.postMessage(found);
