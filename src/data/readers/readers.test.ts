import { readerConformance } from './readers.conformance.js';
import { READER_CASES } from './readers.fixture.js';

for (const reader of READER_CASES) readerConformance(reader);
