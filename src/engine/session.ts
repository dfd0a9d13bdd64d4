import './no-telemetry.js';

import { createRequire } from 'node:module';
import type { InferenceSession as OrtSession, Tensor as OrtTensor } from 'onnxruntime-node';
import { NearmissError } from '../base/errors.js';
import type { DType } from './shape.js';

const require = createRequire(import.meta.url);
let loaded: typeof import('onnxruntime-node') | undefined;

/**
 * Loaded by the first that computes: recipes name what is built of graphs, and are read where nothing is computed.
 * Required, not imported: the build moves imports of other packages before the line that forbids telemetry.
 */
function runtime(): typeof import('onnxruntime-node') {
  loaded ??= require('onnxruntime-node') as typeof import('onnxruntime-node');
  return loaded;
}

/** Half-precision numbers are bit patterns in a Uint16Array (src/base/numbers/float16.ts). */
export type TensorData = Float32Array | Uint16Array | Int32Array | BigInt64Array | Uint8Array;

/** A tensor of concrete size. Feeding one does not copy its data. */
export interface DenseTensor {
  shape: readonly number[];
  data: TensorData;
}

export interface SessionOptions {
  /** Threads inside one operation; the runtime's choice (all cores) when left out. */
  threads?: number;
  /** Execution provider: `cpu` (default), `cuda`, `webgpu`, `coreml`, `dml`. */
  provider?: string;
  /**
   * Let idle threads spin while they wait for work: faster alone, wasteful when two processes share the cores.
   * Default false: alone it gains little (docs/operations.md).
   */
  spinning?: boolean;
}

/** The runtime's own version, e.g. `1.30.0`. */
export function runtimeVersion(): string {
  return runtime().env.versions.node ?? '';
}

/** Names of the execution providers that this build of the runtime has. */
export function executionProviders(): string[] {
  return runtime()
    .listSupportedBackends()
    .map(({ name }) => name);
}

function hintFor(provider: string): string | undefined {
  if (provider === 'cpu') return undefined;
  const known = executionProviders();
  if (!known.includes(provider)) return `this runtime has ${known.join(', ')}`;
  // They are some hundred megabytes, which most do not need.
  const fetch = ', and the libraries: ONNXRUNTIME_NODE_INSTALL=true npm rebuild onnxruntime-node';
  return `${provider} needs its driver${provider === 'cuda' ? fetch : ''}; or leave --provider out`;
}

/** A compiled model, ready to run. */
export class Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly #session: OrtSession;

  private constructor(session: OrtSession) {
    this.#session = session;
    this.inputNames = session.inputNames;
    this.outputNames = session.outputNames;
  }

  /**
   * @param model an ONNX model's bytes, or the path of one
   * @param files what the model expects in files beside it, in memory; copied, not kept
   */
  static async create(
    model: Uint8Array | string,
    options: SessionOptions = {},
    files: Record<string, Uint8Array> = {},
  ): Promise<Session> {
    const { threads, provider = 'cpu', spinning = false } = options;
    const sessionOptions: OrtSession.SessionOptions = {
      executionProviders: [provider],
      logSeverityLevel: 3,
      graphOptimizationLevel: 'all',
      ...(threads ? { intraOpNumThreads: threads } : {}),
      interOpNumThreads: 1,
      externalData: Object.entries(files).map(([path, data]) => ({ path, data })),
      extra: { session: { intra_op: { allow_spinning: spinning ? '1' : '0' } } },
    };
    const { InferenceSession } = runtime();
    try {
      // The overloads for bytes and paths cannot be called through one union type.
      const session =
        typeof model === 'string'
          ? await InferenceSession.create(model, sessionOptions)
          : await InferenceSession.create(model, sessionOptions);
      return new Session(session);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new NearmissError(`the runtime cannot start the model on ${provider}: ${reason}`, {
        hint: hintFor(provider),
        cause: error,
      });
    }
  }

  /**
   * Runs the model once. It computes on the calling thread, which is blocked until the result is there.
   *
   * @param into buffers that receive the outputs of those names in place of fresh ones
   */
  async run(
    feeds: Record<string, DenseTensor>,
    options: { outputs?: readonly string[]; into?: Record<string, DenseTensor> } = {},
  ): Promise<Record<string, DenseTensor>> {
    const inputs: Record<string, OrtTensor> = {};
    for (const name of this.inputNames) {
      const feed = feeds[name];
      if (!feed) throw new Error(`The model needs an input named ${name}`);
      inputs[name] = toTensor(feed);
    }
    const fetches: Record<string, OrtTensor | null> = {};
    for (const name of options.outputs ?? this.outputNames) {
      const target = options.into?.[name];
      fetches[name] = target ? toTensor(target) : null;
    }
    const results = await this.#session.run(inputs, fetches);
    const outputs: Record<string, DenseTensor> = {};
    for (const [name, tensor] of Object.entries(results)) {
      outputs[name] = { shape: tensor.dims, data: tensor.data as TensorData };
    }
    return outputs;
  }

  async release(): Promise<void> {
    await this.#session.release();
  }
}

function toTensor({ shape, data }: DenseTensor): OrtTensor {
  // Typed arrays over shared memory are as good; the runtime's types do not know them.
  const { Tensor } = runtime();
  return new Tensor(dtypeOf(data), data as Float32Array<ArrayBuffer>, shape);
}

function dtypeOf(data: TensorData): DType {
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof Uint16Array) return 'float16';
  if (data instanceof Int32Array) return 'int32';
  return data instanceof BigInt64Array ? 'int64' : 'bool';
}
