import { parseEngineAddress } from './address.js';
import type { EngineConnection } from './engine.js';
import { engines } from './kinds.js';

/** Connects to the engine of an address. */
export async function connectEngine(text: string): Promise<EngineConnection> {
  const address = parseEngineAddress(text);
  return engines.get(address.engine).connect(address);
}
